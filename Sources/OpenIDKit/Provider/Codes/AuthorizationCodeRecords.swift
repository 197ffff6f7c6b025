import JOSE
import PureCrypto

/// Authorization codes in a provider's records, by the hash of the code.
struct AuthorizationCodeRecords: Sendable {
  static let kind = StoredRecord.Kind(library: "authorization-code")

  let records: any RecordStore
  private let clock: WallClock

  init(_ records: any RecordStore, clock: WallClock) { (self.records, self.clock) = (records, clock) }

  /// The code of that hash.
  ///
  /// - Parameter hash: 32 octets.
  /// - Throws: `ErrorCode.recordMalformed` if what is stored can't be read; what the store throws.
  func code(_ hash: [UInt8]) async throws -> AuthorizationCodeRecord? {
    guard let stored = try await records.record(Self.kind, key: hash) else { return nil }
    var code = try AuthorizationCodeRecord(parsing: stored.document)
    guard code.codeHash == hash else { throw OpenIDError(.recordMalformed, "the stored code has another key") }
    code.version = stored.version
    return code
  }

  /// Adds a code. Returns false if the hash is taken.
  ///
  /// - Throws: what the store throws.
  /// The record of a code.
  func record(of code: AuthorizationCodeRecord) -> StoredRecord {
    StoredRecord(
      kind: Self.kind, key: code.codeHash, version: code.version, createdAt: clock.now, expiresAt: code.removableAt,
      document: code.serialized(), attempt: SystemRandom.bytes(count: 16))
  }
}
