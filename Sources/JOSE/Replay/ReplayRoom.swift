/// Tokens or proofs of one kind that were seen.
///
/// Each call does a bounded number of steps, each logarithmic in the number of tokens: what is forgotten is forgotten a
/// few at a time, so that no request waits for the tokens of many others.
struct ReplayRoom {
  /// How many seconds a token is remembered after it has expired: a clock that is set back must not let it in again.
  private static let grace: Int64 = 60

  /// More than one, so that what has expired goes sooner than new tokens come.
  private static let sweptPerCall = 4

  private let capacity: Int
  private let quota: Int
  /// The tokens that are noted, each at its place for as long as it is.
  private var tokens: [NotedToken] = []
  private var freePlaces: [Int] = []
  private var places: [NotedToken.Name: Int] = [:]
  private var queue = ExpiryQueue(of: \.index)
  private var queueOfMaker: [[UInt8]: ExpiryQueue] = [:]
  /// What expires in this second or before may have been forgotten.
  private var forgotten = Int64.min

  init(capacity: Int, quota: Int) {
    self.capacity = capacity
    self.quota = quota
  }

  /// Notes a token.
  ///
  /// - Parameters:
  ///   - maker: whose token it is: a key's thumbprint, an issuer. Each has its quota.
  ///   - tokenID: what the maker calls it.
  ///   - expiry: the last moment at which it can be accepted.
  ///   - isLimited: whether the maker has a quota.
  ///   - now: the verifier's time.
  mutating func record(
    maker: String, tokenID: String, expiry: NumericDate, isLimited: Bool = true, now: NumericDate
  ) -> ReplayVerdict {
    // Dates have magnitude 2⁵³ at most.
    let present = Int64(now.secondsSince1970.rounded(.down))
    for _ in 0..<Self.sweptPerCall { sweep(before: present - Self.grace) }
    let maker = Array(maker.utf8)
    let name = NotedToken.Name(maker: maker, tokenID: tokenID)
    let second = Int64(expiry.secondsSince1970.rounded(.up))
    if let place = places[name] {
      let known = tokens[place].second
      guard Self.isAnother(second, than: known, at: present) else { return .seen }
      remove(place)
      note(NotedToken(name: name, maker: maker, second: second))
      return .new
    }
    let quota = isLimited ? quota : .max
    // What has expired makes room first, for good.
    if let own = queueOfMaker[maker], own.count >= quota, let first = own.first {
      guard tokens[first].second < present else { return .quotaReached }
      forget(first)
    }
    guard queueOfMaker[maker]?.count ?? 0 < quota else { return .quotaReached }
    if places.count >= capacity, let first = queue.first, tokens[first].second < second { forget(first) }
    guard places.count < capacity, second > forgotten else { return .storeFull }
    note(NotedToken(name: name, maker: maker, second: second))
    return .new
  }

  /// Whether a token was noted. Of the parameters see ``record(maker:tokenID:expiry:isLimited:now:)``.
  ///
  /// - Throws: ``JOSEErrorCode/replayStoreFull`` if it may have been noted and given up.
  func isNoted(maker: String, tokenID: String, expiry: NumericDate, now: NumericDate) throws(JOSEError) -> Bool {
    let present = Int64(now.secondsSince1970.rounded(.down))
    let second = Int64(expiry.secondsSince1970.rounded(.up))
    let place = places[NotedToken.Name(maker: Array(maker.utf8), tokenID: tokenID)]
    guard let known = place.map({ tokens[$0].second }), known >= present - Self.grace else {
      if second <= forgotten { try ReplayVerdict.storeFull.requireNew(of: "iss") }
      return false
    }
    return !Self.isAnother(second, than: known, at: present)
  }

  /// Whether a token that expires in a second is not the one of its name that expires in another: that has expired by
  /// now.
  private static func isAnother(_ second: Int64, than known: Int64, at present: Int64) -> Bool {
    known < present && second > known
  }

  private mutating func note(_ token: NotedToken) {
    let place = freePlaces.popLast() ?? tokens.count
    if place == tokens.count { tokens.append(token) } else { tokens[place] = token }
    places[token.name] = place
    queue.insert(place, &tokens)
    queueOfMaker[token.maker, default: ExpiryQueue(of: \.indexOfMaker)].insert(place, &tokens)
  }

  /// Gives up a token for good: none that expires as early is noted any more.
  private mutating func forget(_ place: Int) {
    forgotten = max(forgotten, tokens[place].second)
    remove(place)
  }

  /// Gives up the token that expires first, if it did so before then.
  private mutating func sweep(before second: Int64) {
    guard let first = queue.first, tokens[first].second < second else { return }
    remove(first)
  }

  private mutating func remove(_ place: Int) {
    let token = tokens[place]
    places[token.name] = nil
    freePlaces.append(place)
    queue.remove(place, &tokens)
    queueOfMaker[token.maker]?.remove(place, &tokens)
    if queueOfMaker[token.maker]?.count == 0 { queueOfMaker[token.maker] = nil }
  }
}
