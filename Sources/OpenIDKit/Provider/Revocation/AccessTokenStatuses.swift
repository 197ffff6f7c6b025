import JOSE
import PureCrypto
import StrictJSON

/// The places of access tokens in a provider's status list, by which servers learn that one has ended.
///
/// A place is a record: its key is the index, which is drawn at random and free again once the token has expired. What
/// the token says stands in the record, so that its status is what the provider would say of the token itself.
struct AccessTokenStatuses: Sendable {
  private static let kind = StoredRecord.Kind(library: "access-token-status")
  /// The herd that a token is one of.
  private static let count = 1 << 20
  /// With this many records, those of expired tokens among them, there is no list any more.
  private static let greatestCount = 1 << 17
  /// Of one client. Beyond that it gets no token, and the others' list goes on.
  private static let greatestCountOfClient = 1 << 14
  /// A token is made before what it rests on is stored. One that is younger is valid.
  private static let grace = 5.0
  /// Verifiers accept a token that has expired as long as they allow for clocks, 600 seconds at most, and their own
  /// clocks differ too.
  private static let leeway = 660.0

  let uri: String
  let timeToLive: Duration
  let records: any RecordStore
  let clock: WallClock
  let cache: StatusListCache

  /// Gives a token a place.
  ///
  /// - Parameters:
  ///   - claims: what it says.
  ///   - end: its `exp`.
  /// - Throws: `ErrorCode.storeUnavailable`, also for a client that has too many tokens.
  func place(for claims: JSONObject, until end: NumericDate) async throws(OpenIDError) -> StatusReference {
    let client = StoredRecord.Index("client", Array((claims["client_id"]?.stringValue ?? "").utf8))
    for _ in 0..<16 {
      // The count is a power of 2.
      let index = SystemRandom.bytes(count: 4).reduce(0) { $0 << 8 | Int($1) } & (Self.count - 1)
      let record = StoredRecord(
        kind: Self.kind, key: Self.key(index), indexes: [Self.all, client], createdAt: clock.now,
        expiresAt: end.advanced(by: Self.leeway), document: claims.serialized(), attempt: SystemRandom.bytes(count: 16))
      let quota = RecordQuota(client, limit: Self.greatestCountOfClient, now: clock.now)
      let outcome = try await OpenIDError.askingStore {
        try await records.settle([.insert(record, atMost: quota)])
      }
      switch outcome {
      case .done: return StatusReference(uri: uri, index: index)
      case .refused(change: _, .quotaReached):
        throw OpenIDError(.storeUnavailable, "the client has more tokens than a status list has room for")
      case .refused: continue
      }
    }
    throw OpenIDError(.storeUnavailable, "the status list has no place for another token")
  }

  /// The list's token, made half of its time to live ago at most.
  ///
  /// - Parameters:
  ///   - key: signs it.
  ///   - isLasting: what the provider says of a token.
  /// - Throws: what stores throw.
  func token(
    signedWith key: SigningKey, _ isLasting: @escaping @Sendable (AccessTokenClaims) async throws -> Bool
  ) async throws -> String {
    try await cache.token(by: clock, for: timeToLive.inSeconds) { now in
      // What ended before this moment is in it, however long it takes.
      try await list(at: now, isLasting).signed(
        for: uri, timeToLive: timeToLive, with: key, clock: .fixed(at: now))
    }
  }

  private func list(
    at now: NumericDate, _ isLasting: @escaping @Sendable (AccessTokenClaims) async throws -> Bool
  ) async throws -> StatusList {
    var list = try StatusList(bits: 1, count: Self.count)
    let placed = try await records.records(Self.kind, where: Self.all, limit: Self.greatestCount)
    // Of tokens that are not looked at, a list would say that they are valid.
    guard placed.count < Self.greatestCount else {
      throw OpenIDError(.storeUnavailable, "more tokens live than a status list is made for")
    }
    let old = placed.filter { record in
      record.expiresAt.map { now < $0 } ?? false
        && abs(now.secondsSince1970 - record.createdAt.secondsSince1970) >= Self.grace
    }
    // Stores answer several questions at once.
    for start in stride(from: 0, to: old.count, by: Self.width) {
      let ended = try await withThrowingTaskGroup(of: Int?.self) { group in
        for record in old[start..<min(start + Self.width, old.count)] {
          group.addTask {
            // What can't be read is nothing that the provider would stand by.
            let claims = (try? JSONObject(parsing: record.document)).flatMap { AccessTokenClaims($0) }
            if let claims, try await isLasting(claims) { return nil }
            return Self.index(record.key)
          }
        }
        return try await group.reduce(into: [Int]()) { ended, index in if let index { ended.append(index) } }
      }
      for index in ended { try list.set(.invalid, at: index) }
    }
    return list
  }

  /// Tokens that are asked about at once.
  private static let width = 16

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
