import PureCrypto

/// Tokens or proofs of one kind that were seen, by the second in which they expire.
struct ReplayRoom {
  /// Names a token: half of SHA-256 of its maker and its `jti`, so that a long `jti` takes no more room than a short one.
  private struct Name: Hashable {
    let high: UInt64
    let low: UInt64

    init(maker: [UInt8], tokenID: String) {
      // With its length in front, the maker ends where it ends.
      let digest = Array(SHA2.SHA256.hash(Array("\(maker.count).".utf8) + maker + Array(tokenID.utf8)))
      high = digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
      low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private struct Noted {
    let name: Name
    let maker: [UInt8]
  }

  /// For so many seconds a token is remembered after it has expired: a clock that is set back must not let it in again.
  private static let grace: Int64 = 60

  private let capacity: Int
  private let quota: Int
  /// The second in which each token expires: the next whole one.
  private var expiries: [Name: Int64] = [:]
  /// Tokens live for minutes, so there are few seconds.
  private var tokens: [Int64: [Noted]] = [:]
  private var countOfMaker: [[UInt8]: Int] = [:]
  /// What expires in this second or before may have been forgotten.
  private var forgotten = Int64.min
  /// The second in which expired tokens were last swept out.
  private var swept = Int64.min

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
    if present != swept {
      for second in tokens.keys.filter({ $0 < present - Self.grace }) { forget(second) }
      swept = present
    }
    let maker = Array(maker.utf8)
    let name = Name(maker: maker, tokenID: tokenID)
    let second = Int64(expiry.secondsSince1970.rounded(.up))
    if let known = expiries[name] {
      guard Self.isAnother(second, than: known, at: present) else { return .seen }
      expiries[name] = second
      tokens[second, default: []].append(Noted(name: name, maker: maker))
      return .new
    }
    let quota = isLimited ? quota : .max
    if countOfMaker[maker, default: 0] >= quota || expiries.count >= capacity { makeRoom(before: present) }
    guard countOfMaker[maker, default: 0] < quota else { return .quotaReached }
    if expiries.count >= capacity, let earliest = tokens.keys.min(), earliest < second {
      forget(earliest)
      forgotten = max(forgotten, earliest)
    }
    guard expiries.count < capacity, second > forgotten else { return .storeFull }
    expiries[name] = second
    tokens[second, default: []].append(Noted(name: name, maker: maker))
    countOfMaker[maker, default: 0] += 1
    return .new
  }

  /// Whether a token was noted. Of the parameters see ``record(maker:tokenID:expiry:isLimited:now:)``.
  ///
  /// - Throws: ``JOSEErrorCode/replayStoreFull`` if it may have been noted and given up.
  func isNoted(maker: String, tokenID: String, expiry: NumericDate, now: NumericDate) throws(JOSEError) -> Bool {
    let present = Int64(now.secondsSince1970.rounded(.down))
    let second = Int64(expiry.secondsSince1970.rounded(.up))
    guard let known = expiries[Name(maker: Array(maker.utf8), tokenID: tokenID)], known >= present - Self.grace else {
      if second <= forgotten { try ReplayVerdict.storeFull.requireNew(of: "iss") }
      return false
    }
    return !Self.isAnother(second, than: known, at: present)
  }

  /// Whether a token that expires in a second is not the one of its name that expires in another: that has expired by now.
  private static func isAnother(_ second: Int64, than known: Int64, at present: Int64) -> Bool {
    known < present && second > known
  }

  /// Gives up what has expired, for good.
  private mutating func makeRoom(before present: Int64) {
    for second in tokens.keys.filter({ $0 < present }) {
      forget(second)
      forgotten = max(forgotten, second)
    }
  }

  /// Gives up all tokens that expire in one second.
  private mutating func forget(_ second: Int64) {
    for token in tokens.removeValue(forKey: second) ?? [] where expiries[token.name] == second {
      expiries[token.name] = nil
      let count = countOfMaker[token.maker, default: 0] - 1
      countOfMaker[token.maker] = count > 0 ? count : nil
    }
  }
}
