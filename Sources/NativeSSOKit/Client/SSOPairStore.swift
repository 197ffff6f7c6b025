/// Where a vendor's apps on one device share the pair.
///
/// Both operations are atomic, across processes too where the store is: a reader sees an old entry or a new one, never
/// a mix, also after a crash. `SSOPairStoreCases` of the product `IdentityTesting` check an implementation.
public protocol SSOPairStore: Sendable {
  /// The entry of an issuer; ``SSOPairEntry/empty`` if there is none.
  ///
  /// - Throws: `ErrorCode.recordMalformed` for what can't be read, as
  ///   ``SSOPairEntry/init(parsing:limits:)`` says it: it counts as an entry of generation 0 without a pair. For
  ///   anything else there is no silent sign-in.
  func read(issuer: String) async throws -> SSOPairEntry

  /// Writes a pair, or deletes it with nil, if the entry's generation is still this one. What can't be read has
  /// generation 0, so that the next login takes its place.
  ///
  /// - Returns: whether it was written. The generation is then one higher.
  /// - Throws: anything; the old entry or the new one is then there. A sign-in stands nevertheless, with
  ///   ``SignIn/Sharing/discarded(_:)``; a sign-out fails with `ErrorCode.storeUnavailable`.
  func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) async throws -> Bool
}

/// A shared store in memory: for tests, and for one process with several clients.
public actor InMemorySSOPairStore: SSOPairStore {
  private var entries: [[UInt8]: SSOPairEntry] = [:]

  /// An empty store.
  public init() {}

  /// The entry of an issuer.
  public func read(issuer: String) -> SSOPairEntry { entries[Array(issuer.utf8)] ?? .empty }

  /// Writes if the generation is still this one.
  public func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) -> Bool {
    let entry = read(issuer: issuer)
    guard entry.generation == generation else { return false }
    entries[Array(issuer.utf8)] = entry.next(pair)
    return true
  }
}
