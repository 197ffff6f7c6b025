/// A replay store in this process's memory.
///
/// It holds a bounded number of proofs, and of one key no more than its quota. Proofs with an access token and proofs without one have rooms
/// of their own: a stranger who makes keys and proofs by the thousand takes no room from clients that have a token. A full room gives up the
/// proofs that expire first, and from then on refuses whatever expires no later than these: so nothing that was forgotten is accepted again,
/// while fresh proofs go on being accepted. What has expired is remembered for another minute: a clock that is set back by no more than
/// that lets nothing in again.
public actor DPoPMemoryReplayStore: DPoPReplayStore {
  private var bound: ReplayRoom
  private var unbound: ReplayRoom

  /// A store for this many proofs at a time, with an access token and without one each, and for this many of one key.
  public init(capacity: Int = 250_000, quota: Int = 10_000) {
    bound = ReplayRoom(capacity: capacity, quota: quota)
    unbound = ReplayRoom(capacity: capacity, quota: quota)
  }

  /// Notes a proof; see ``DPoPReplayStore/record(_:now:)``.
  public func record(_ entry: DPoPReplayEntry, now: NumericDate) -> DPoPReplayVerdict {
    entry.isBoundToAccessToken ? Self.record(entry, in: &bound, now: now) : Self.record(entry, in: &unbound, now: now)
  }

  private static func record(
    _ entry: DPoPReplayEntry, in room: inout ReplayRoom, now: NumericDate
  ) -> DPoPReplayVerdict {
    room.record(maker: entry.thumbprint, tokenID: entry.tokenID, expiry: entry.expiry, now: now)
  }
}
