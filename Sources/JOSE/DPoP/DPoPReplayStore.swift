/// Remembers the proofs that were seen, so that none is taken twice. A server of several machines shares one among them.
public protocol DPoPReplayStore: Sendable {
  /// Notes a proof, atomically.
  ///
  /// - Parameters:
  ///   - identifier: names the proof, by its key's thumbprint and its `jti`. To be compared as bytes.
  ///   - expiry: the last moment at which the proof can be accepted; afterwards it may be forgotten.
  ///   - now: the verifier's time, by which earlier proofs have expired or not.
  /// - Returns: whether it is new.
  /// - Throws: anything, if the proof can't be noted. ``DPoPVerifier`` then refuses it as one that was seen before.
  func insert(_ identifier: String, until expiry: NumericDate, now: NumericDate) async throws -> Bool
}

/// A replay store in this process's memory.
///
/// It holds a bounded number of proofs. When it is full, it takes no more until some expire: refusing is safe, forgetting is not.
public actor DPoPMemoryReplayStore: DPoPReplayStore {
  private var expiries: [[UInt8]: NumericDate] = [:]
  private let capacity: Int

  /// A store for so many proofs at a time.
  public init(capacity: Int = 100_000) {
    self.capacity = capacity
  }

  /// Notes a proof; see ``DPoPReplayStore/insert(_:until:now:)``.
  public func insert(_ identifier: String, until expiry: NumericDate, now: NumericDate) -> Bool {
    if expiries.count >= capacity { expiries = expiries.filter { $0.value >= now } }
    // Keys are bytes: two names that merely look alike are two.
    let key = Array(identifier.utf8)
    if let earlier = expiries[key], earlier >= now { return false }
    guard expiries.count < capacity else { return false }
    expiries[key] = expiry
    return true
  }
}
