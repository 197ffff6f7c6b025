import JOSE
import PureCrypto

/// Authorization codes in a provider's records, by the hash of the code.
struct AuthorizationCodeRecords: Sendable {
  static let kind = StoredRecord.Kind(library: "authorization-code")

  private let records: any RecordStore
  private let clock: WallClock

  init(_ records: any RecordStore, clock: WallClock) { (self.records, self.clock) = (records, clock) }

  /// The code of that hash.
  ///
  /// - Parameter hash: 32 octets.
  /// - Throws: `ErrorCode.recordMalformed` if what is stored can't be read; what the store throws.
  func code(_ hash: [UInt8]) async throws -> AuthorizationCodeRecord? {
    guard let stored = try await records.record(Self.kind, key: hash) else { return nil }
    var code = try AuthorizationCodeRecord(parsing: stored.document)
    guard code.codeHash == hash else { throw TokenRefreshError(.recordMalformed, "the stored code is another one") }
    code.version = stored.version
    return code
  }

  /// Adds a code. Returns false if the hash is taken.
  ///
  /// - Throws: what the store throws.
  func insert(_ code: AuthorizationCodeRecord) async throws -> Bool {
    try await records.settle([.insert(record(of: code))]) == .done
  }

  /// Puts a code in the place of the stored one, which must have its version still: of two who present a code at once,
  /// one redeems it. Returns false if it has not.
  ///
  /// - Throws: what the store throws.
  func replace(with code: AuthorizationCodeRecord) async throws -> Bool {
    try await records.settle([.replace(record(of: code))]) == .done
  }

  private func record(of code: AuthorizationCodeRecord) -> StoredRecord {
    StoredRecord(
      kind: Self.kind, key: code.codeHash, version: code.version, createdAt: clock.now, expiresAt: code.removableAt,
      document: code.serialized(), attempt: SystemRandom.bytes(count: 16))
  }
}
