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

  /// Does what is asked of the store, and says what came of it.
  func answer(_ request: StoreOperation.Request) async -> StoreOperation.Answer {
    do {
      switch request {
      case .load:
        guard let stored = try await store.load() else { return .loaded(nil) }
        guard let record = try? TokenRecord(parsing: stored.document) else { return .damaged(stored.version) }
        return .loaded(VersionedRecord(record: record, version: stored.version))
      case .replace(let version, let record):
        return .replaced(try await store.replace(expecting: version, with: record?.serialized()))
      }
    } catch {
      return .failed
    }
  }
}

/// A record as a store has it.
struct VersionedRecord: Sendable {
  let record: TokenRecord
  /// The store's, so that a writer need not load again.
  let version: [UInt8]
}
