import OpenIDKit

/// The pair of one issuer in the store that a vendor's apps share.
package struct SharedPair: Sendable {
  private let store: any SecretStore

  /// The pair of a store.
  package init(_ store: any SecretStore) { self.store = store }

  /// The entry; `SSOPairEntry.empty` if there is none.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if the document can't be read: it counts as an entry of
  ///   generation 0 without a pair. Anything else that the store throws: there is no silent sign-in then.
  package func read() async throws -> SSOPairEntry {
    try await store.load().map { try SSOPairEntry(parsing: $0.document) } ?? .empty
  }

  /// Writes a pair, or deletes it with nil, if the entry's generation is still this one. What can't be read has
  /// generation 0, so that the next login takes its place.
  ///
  /// - Returns: whether it was written. The generation is then one higher.
  /// - Throws: what the store throws; the old entry or the new one is then there.
  package func replace(expecting generation: UInt64, with pair: SSOPair?) async throws -> Bool {
    let stored = try await store.load()
    let entry = stored.flatMap { try? SSOPairEntry(parsing: $0.document) } ?? .empty
    guard entry.generation == generation else { return false }
    return try await store.replace(expecting: stored?.version, with: entry.next(pair).serialized) != nil
  }
}
