import JOSE
import PureCrypto
import StrictJSON
import Synchronization

/// The places of access tokens in a provider's status list, by which servers learn that one has ended.
///
/// A place is a record: its key is the index, which is drawn at random and free again once the token has expired. What
/// the token says stands in the record, so that its status is what the provider would say of the token itself.
struct AccessTokenStatuses: Sendable {
  private static let kind = StoredRecord.Kind(library: "access-token-status")
  /// The herd that a token is one of.
  private static let count = 1 << 20
  /// How many places are looked at. Far more tokens than a store holds at once would have to live.
  private static let greatestCount = 1 << 17
  /// A token is made before what it rests on is stored. One that is younger is valid.
  private static let grace = 5.0

  let uri: String
  let timeToLive: Duration
  let records: any RecordStore
  let clock: WallClock
  let cache: Cache

  /// The list as it was made last.
  final class Cache: Sendable {
    fileprivate let latest = Mutex<(list: StatusList, date: NumericDate)?>(nil)
  }

  /// Gives a token a place.
  ///
  /// - Parameters:
  ///   - claims: what it says.
  ///   - end: its `exp`.
  /// - Throws: `ErrorCode.storeUnavailable`.
  func place(for claims: JSONObject, until end: NumericDate) async throws(OpenIDError) -> StatusReference {
    for _ in 0..<16 {
      // Of 2²⁰ places; 2³² is a multiple, so each is as likely as another.
      let index = SystemRandom.bytes(count: 4).reduce(0) { $0 << 8 | Int($1) } % Self.count
      let record = StoredRecord(
        kind: Self.kind, key: Self.key(index), indexes: [Self.all], createdAt: clock.now, expiresAt: end,
        document: claims.serialized(), attempt: SystemRandom.bytes(count: 16))
      let outcome = try await OpenIDError.askingStore { try await records.settle([.insert(record)]) }
      if outcome == .done { return StatusReference(uri: uri, index: index) }
    }
    throw OpenIDError(.storeUnavailable, "the status list has no place for another token")
  }

  /// The list as it is now, or was a quarter of its time to live ago at most.
  ///
  /// - Parameter isLasting: what the provider says of a token.
  /// - Throws: what stores throw.
  func list(
    _ isLasting: (AccessTokenClaims) async throws -> Bool
  ) async throws -> (list: StatusList, date: NumericDate) {
    let now = clock.now
    if let latest = cache.latest.withLock({ $0 }), latest.date <= now,
      now < latest.date.advanced(by: timeToLive.inSeconds / 4)
    {
      return latest
    }
    var list = try StatusList(bits: 1, count: Self.count)
    for record in try await records.records(Self.kind, where: Self.all, limit: Self.greatestCount) {
      guard let index = Self.index(record.key), record.expiresAt.map({ now < $0 }) ?? false,
        now >= record.createdAt.advanced(by: Self.grace)
      else { continue }
      // What can't be read is nothing that the provider would stand by.
      let claims = (try? JSONObject(parsing: record.document)).flatMap { AccessTokenClaims($0) }
      let isGood = if let claims { try await isLasting(claims) } else { false }
      if !isGood { try list.set(.invalid, at: index) }
    }
    cache.latest.withLock { $0 = (list, now) }
    return (list, now)
  }

  /// One value for all places, by which they are found.
  private static let all = StoredRecord.Index("list", Array("1".utf8))

  private static func key(_ index: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: index >> $0) }
  }

  private static func index(_ key: [UInt8]) -> Int? {
    guard key.count == 4 else { return nil }
    let index = key.reduce(0) { $0 << 8 | Int($1) }
    return index < count ? index : nil
  }
}
