/// Remembers the proofs that were seen, so that none is taken twice. A server of several machines shares one among them.
public protocol DPoPReplayStore: Sendable {
  /// Notes a proof, atomically.
  ///
  /// - Parameter identifier: names the proof, for as long as it could be accepted: until `expiry`.
  /// - Returns: whether it is new.
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
