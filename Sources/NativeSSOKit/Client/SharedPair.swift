import OpenIDKit

/// The pair of one issuer in the store that a vendor's apps share.
package struct SharedPair: Sendable {
  /// An entry as the store has it.
  package struct Stored: Sendable {
    /// `SSOPairEntry.empty` if there is none, or if it can't be read: what is written next takes its place.
    package let entry: SSOPairEntry
    /// Whether it can't be read.
    package let isDamaged: Bool
    fileprivate let version: [UInt8]?
  }

  private let store: any SecretStore

  /// The pair of a store.
  package init(_ store: any SecretStore) { self.store = store }

  /// The entry; `SSOPairEntry.empty` if there is none.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if the document can't be read. Anything else that the store throws.
  package func read() async throws -> SSOPairEntry {
    try await store.load().map { try SSOPairEntry(parsing: $0.document) } ?? .empty
  }

  /// The entry, to be replaced.
  ///
  /// - Throws: what the store throws.
  package func load() async throws -> Stored {
    guard let stored = try await store.load() else { return Stored(entry: .empty, isDamaged: false, version: nil) }
    let entry = try? SSOPairEntry(parsing: stored.document)
    return Stored(entry: entry ?? .empty, isDamaged: entry == nil, version: stored.version)
  }

  /// Writes a pair, or deletes it with nil, if the entry is still the one that was loaded.
  ///
  /// - Returns: whether it was written. The generation is then one higher.
  /// - Throws: what the store throws; the old entry or the new one is then there.
  package func replace(_ stored: Stored, with pair: SSOPair?) async throws -> Bool {
    try await store.replace(expecting: stored.version, with: stored.entry.next(pair).serialized) != nil
  }
}
