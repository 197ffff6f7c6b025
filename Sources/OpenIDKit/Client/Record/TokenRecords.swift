import JOSE

/// One login's record in a secret store.
package struct TokenRecords: Sendable {
  private let store: any SecretStore

  /// The record of a store.
  package init(_ store: any SecretStore) { self.store = store }

  /// The record, or nil if there is none.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if the document can't be read: a new login takes its place.
  ///   Anything else that the store throws.
  package func load() async throws -> TokenRecord? {
    try await store.load().map { try TokenRecord(parsing: $0.document) }
  }

  /// Puts a record in the place of the one with an expected version.
  ///
  /// - Parameters:
  ///   - expected: the version that must be stored now; nil if there must be no record. What can't be read is no
  ///     record: it is replaced, and removed.
  ///   - record: the new record, or nil to remove.
  /// - Returns: false, with nothing changed, if another version is stored.
  /// - Throws: what the store throws; the old record or the new one is then there.
  package func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) async throws -> Bool {
    let stored = try await store.load()
    let version = stored.flatMap { try? TokenRecord(parsing: $0.document) }?.version
    guard version.map({ version in expected.map(version.isSame) ?? false }) ?? (expected == nil) else { return false }
    return try await store.replace(expecting: stored?.version, with: record?.serialized())
  }
}

extension TokenRecord.Version {
  /// Whether both are the same, login identifiers compared as bytes.
  package func isSame(as other: TokenRecord.Version) -> Bool {
    revision == other.revision && loginID.hasSameBytes(as: other.loginID)
  }
}
