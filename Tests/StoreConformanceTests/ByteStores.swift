import JOSE
import PlatformSSO
import TokenRefresh

/// A record as a keychain keeps it: as bytes.
actor TokenByteStore: TokenStore {
  private var document: [UInt8]?

  func load() throws -> TokenRecord? { try document.map { try TokenRecord(parsing: $0) } }

  func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) throws -> Bool {
    let stored = try load()?.version
    let isExpected =
      if let stored, let expected { stored.isSame(as: expected) } else { stored == nil && expected == nil }
    if isExpected { document = record?.serialized() }
    return isExpected
  }
}

/// Families as a database keeps them: as bytes.
actor FamilyByteStore: RefreshTokenFamilyStore {
  private var rows: [String: [UInt8]] = [:]
  private var order: [String] = []

  func family(_ id: RefreshTokenFamily.ID) throws -> RefreshTokenFamily? {
    try rows[id.text].map { try RefreshTokenFamily(parsing: $0) }
  }

  func insert(_ family: RefreshTokenFamily) -> Bool {
    guard rows[family.id.text] == nil else { return false }
    rows[family.id.text] = family.serialized()
    order.append(family.id.text)
    return true
  }

  func replace(expecting expected: UInt64, with family: RefreshTokenFamily) throws -> Bool {
    guard try self.family(family.id)?.version == expected else { return false }
    rows[family.id.text] = family.serialized()
    return true
  }

  func families(_ selection: FamilySelection) throws -> [RefreshTokenFamily.ID] {
    // Sorting is stable: those of one date stay in the order in which they came.
    try order.compactMap { rows[$0] }.map { try RefreshTokenFamily(parsing: $0) }.filter(selection.includes)
      .sorted { $0.createdAt < $1.createdAt }.map(\.id)
  }

  func removeFamilies(endedBefore date: NumericDate) throws {
    for (key, row) in rows {
      let family = try RefreshTokenFamily(parsing: row)
      if case .revoked(_, let end) = family.status, end < date { rows[key] = nil }
      if let end = family.absoluteExpiration, end < date { rows[key] = nil }
    }
    order.removeAll { rows[$0] == nil }
  }
}

/// Nonces in a table.
actor NonceTable: ServerNonceStore {
  private struct Row {
    let binding: [UInt8]
    let madeAt: NumericDate
    var isUsed = false
  }

  private let takesAnyBinding: Bool
  private var rows: [[UInt8]: Row] = [:]

  init(takesAnyBinding: Bool = false) { self.takesAnyBinding = takesAnyBinding }

  func makeServerNonce(boundTo binding: String, at now: NumericDate) -> String {
    var generator = SystemRandomNumberGenerator()
    let nonce = "\(generator.next())-\(generator.next())-nonce"
    rows[Array(nonce.utf8)] = Row(binding: Array(binding.utf8), madeAt: now)
    return nonce
  }

  func useServerNonce(_ nonce: String, boundTo binding: String, at now: NumericDate) -> ServerNonceVerdict {
    let key = Array(nonce.utf8)
    guard let row = rows[key], takesAnyBinding || row.binding == Array(binding.utf8) else { return .unknown }
    if row.isUsed { return .used }
    guard now < row.madeAt.advanced(by: 300) else { return .expired }
    rows[key]?.isUsed = true
    return .accepted
  }
}
