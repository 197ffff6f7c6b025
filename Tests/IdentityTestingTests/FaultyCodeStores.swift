import JOSE
import StrictJSON
import OpenIDKit

/// A store of authorization codes with a defect.
actor FaultyCodeStore: AuthorizationCodeStore {
  enum Defect: Equatable, Sendable {
    case inventsCodes, losesResources, losesAdditionalMembers, roundsDates, overwrites, replacesBlindly, inserts32Bits
    case replacesAll, forgetsUsed, looksAtThePast, losesTheLast, answersWhenCutOff, firstHalfNames, secondHalfNames
    case replacesWhatIsNot, changes(TextFault)

    static let all: [Defect] =
      [
        .inventsCodes, .losesResources, .losesAdditionalMembers, .roundsDates, .overwrites, .replacesBlindly,
        .inserts32Bits, .replacesAll, .forgetsUsed, .looksAtThePast, .losesTheLast, .answersWhenCutOff,
        .firstHalfNames, .secondHalfNames, .replacesWhatIsNot,
      ] + TextFault.allCases.map { .changes($0) }
  }

  private let defect: Defect
  private var records: [[UInt8]: AuthorizationCodeRecord] = [:]
  /// As they were before the last change: what somebody sees who looks too early.
  private var past: [[UInt8]: AuthorizationCodeRecord] = [:]

  init(_ defect: Defect) { self.defect = defect }

  func code(_ hash: [UInt8]) -> AuthorizationCodeRecord? {
    if let record = records[name(hash)] { return record }
    return defect == .inventsCodes ? records.values.first ?? Self.invented : nil
  }

  func insert(_ record: AuthorizationCodeRecord) async -> Bool {
    let seen = defect == .looksAtThePast ? past : records
    guard seen[name(record.codeHash)] == nil || defect == .overwrites else { return false }
    if defect == .forgetsUsed, records.count > 100 { records = records.filter { $0.value.use == .unused } }
    keep(record)
    return true
  }

  func replace(expecting expected: UInt64, with record: AuthorizationCodeRecord) async -> Bool {
    if defect == .answersWhenCutOff {
      for _ in 0..<50 {
        if Task.isCancelled { return true }
        await Task.yield()
      }
    }
    let seen = defect == .looksAtThePast ? past : records
    guard let known = seen[name(record.codeHash)] else {
      if defect == .replacesWhatIsNot { keep(record) }
      return defect == .replacesWhatIsNot
    }
    let mask: UInt64 = defect == .inserts32Bits ? 0xFFFF_FFFF_0000_0000 : .max
    guard known.version & mask == expected & mask || defect == .replacesBlindly else { return false }
    if defect == .replacesAll {
      for (name, other) in records {
        var changed = other
        changed.use = record.use
        records[name] = changed
      }
    }
    keep(record)
    return true
  }

  private func keep(_ given: AuthorizationCodeRecord) {
    var record = given
    switch defect {
    case .losesResources: record = copy(given) { $0.resources = [] }
    case .losesAdditionalMembers: record = copy(given) { $0.additionalMembers = [:] }
    case .roundsDates: record.removableAt = NumericDate(Int(given.removableAt.wholeSeconds))
    case .losesTheLast: records = past
    case .changes(let fault): record = copy(given) { $0.nonce = $0.nonce.map(fault.change) }
    default: break
    }
    past = records
    records[name(record.codeHash)] = record
  }

  private func copy(
    _ record: AuthorizationCodeRecord, _ change: (inout AuthorizationCodeGrant) -> Void
  ) -> AuthorizationCodeRecord {
    var grant = record.grant
    change(&grant)
    return AuthorizationCodeRecord(
      codeHash: record.codeHash, version: record.version, grant: grant, expiration: record.expiration, use: record.use,
      removableAt: record.removableAt)
  }

  private func name(_ hash: [UInt8]) -> [UInt8] {
    switch defect {
    case .firstHalfNames: Array(hash.prefix(16))
    case .secondHalfNames: Array(hash.suffix(16))
    default: hash
    }
  }

  private static let invented = AuthorizationCodeRecord(
    codeHash: [UInt8](repeating: 0, count: 32), version: 1,
    grant: AuthorizationCodeGrant(clientID: "", redirectURI: "", scopes: []), expiration: NumericDate(0), use: .unused,
    removableAt: NumericDate(0))
}

/// Ended access tokens with a defect.
actor FaultyRevokedTokenStore: RevokedTokenStore {
  enum Defect: Equatable, Sendable {
    case revokesAll, forgetsAll, mixesTokensAndGrants, asksForAll, asksFirstOnly, keepsFirstEnd, takesLastEnd
    case forgetsWhenMany, losesTheLast, answersWhenCutOff, refusesTheSecond, changes(TextFault)

    static let all: [Defect] =
      [
        .revokesAll, .forgetsAll, .mixesTokensAndGrants, .asksForAll, .asksFirstOnly, .keepsFirstEnd, .takesLastEnd,
        .forgetsWhenMany, .losesTheLast, .answersWhenCutOff, .refusesTheSecond,
      ] + TextFault.allCases.map { .changes($0) }
  }

  private struct Refused: Error {}

  private let defect: Defect
  private var ends: [[UInt8]: NumericDate] = [:]
  private var past: [[UInt8]: NumericDate] = [:]

  init(_ defect: Defect) { self.defect = defect }

  func revoke(_ selection: AccessTokenSelection, until end: NumericDate) async throws {
    if defect == .answersWhenCutOff {
      for _ in 0..<50 {
        if Task.isCancelled { return }
        await Task.yield()
      }
    }
    if defect == .forgetsAll { return }
    let name = name(selection)
    if defect == .refusesTheSecond, ends[name] != nil { throw Refused() }
    if defect == .losesTheLast { ends = past }
    past = ends
    switch (defect, ends[name]) {
    case (.takesLastEnd, _): ends[name] = end
    case (.keepsFirstEnd, let known?): ends[name] = known
    case (_, let known): ends[name] = max(known ?? end, end)
    }
    ends = ends.filter { $0.key == name || $0.value > NumericDate(1_760_000_000) }
    if defect == .forgetsWhenMany, ends.count > 100 { ends = [name: end] }
  }

  func isRevoked(anyOf selections: [AccessTokenSelection]) -> Bool {
    switch defect {
    case .revokesAll: true
    case .asksForAll: selections.allSatisfy { ends[name($0)] != nil }
    case .asksFirstOnly: selections.prefix(1).contains { ends[name($0)] != nil }
    default: selections.contains { ends[name($0)] != nil }
    }
  }

  private func name(_ selection: AccessTokenSelection) -> [UInt8] {
    switch (defect, selection) {
    case (.mixesTokensAndGrants, .token(let name)), (.mixesTokensAndGrants, .grant(let name)): Array(name.utf8)
    case (.changes(let fault), .token(let name)): Array(("t" + fault.change(name)).utf8)
    case (.changes(let fault), .grant(let name)): Array(("g" + fault.change(name)).utf8)
    default: Array(selection.storageKey.utf8)
    }
  }
}

/// Authorization codes as bytes, beside columns.
actor CodeByteStore: AuthorizationCodeStore, DocumentKeeping {
  private var table: DocumentTable<UInt64>

  init(_ fault: DocumentFault? = nil) { table = DocumentTable(fault) }

  func code(_ hash: [UInt8]) throws -> AuthorizationCodeRecord? {
    try table.value(Base64URL.encode(hash)) { try AuthorizationCodeRecord(parsing: $0) }
  }

  func insert(_ record: AuthorizationCodeRecord) -> Bool {
    let name = Base64URL.encode(record.codeHash)
    guard table.columns(name) == nil else { return false }
    table.put(name, record.version, record.serialized())
    return true
  }

  func replace(expecting expected: UInt64, with record: AuthorizationCodeRecord) -> Bool {
    let name = Base64URL.encode(record.codeHash)
    guard table.columns(name) == expected else { return false }
    table.put(name, record.version, record.serialized())
    return true
  }

  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8]) { table.rewrite(change) }
}
