/// A replay store in this process's memory.
///
/// It holds a bounded number of proofs, and of one key no more than its quota. Proofs with an access token and proofs without one have rooms
/// of their own: whoever makes keys and proofs by the thousand takes no room from clients that have a token. A full room gives up the
/// proofs that expire first, and from then on refuses whatever expires no later than these: so nothing that was forgotten is accepted again,
/// while fresh proofs go on being accepted.
public actor DPoPMemoryReplayStore: DPoPReplayStore {
  private var bound: DPoPReplayRoom
  private var unbound: DPoPReplayRoom

  /// A store for so many proofs at a time, with an access token and without one each, and for so many of one key.
  public init(capacity: Int = 250_000, quota: Int = 10_000) {
    bound = DPoPReplayRoom(capacity: capacity, quota: quota)
    unbound = DPoPReplayRoom(capacity: capacity, quota: quota)
  }

  /// Notes a proof; see ``DPoPReplayStore/record(_:now:)``.
  public func record(_ entry: DPoPReplayEntry, now: NumericDate) -> DPoPReplayVerdict {
    entry.isBoundToAccessToken ? bound.record(entry, now: now) : unbound.record(entry, now: now)
  }
}
