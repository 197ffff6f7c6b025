/// One token that may be used once, as a replay store sees it.
public struct JWTReplayEntry: Sendable, Hashable {
  /// `iss`: who made the token, which the signature has shown.
  public var issuer: String
  /// `jti`. The issuer chose it.
  public var tokenID: String
  /// The last moment at which the token can be accepted; afterwards it may be forgotten.
  public var expiry: NumericDate
  /// Whether a store sets a quota for the issuer. It does where anybody can be one, and never for issuers that the
  /// verifier's policy names: a website has one provider, all of whose logout tokens it must take.
  public var limitsIssuer: Bool

  /// A token of these parts.
  public init(issuer: String, tokenID: String, expiry: NumericDate, limitsIssuer: Bool = true) {
    self.issuer = issuer
    self.tokenID = tokenID
    self.expiry = expiry
    self.limitsIssuer = limitsIssuer
  }
}

extension JWTReplayEntry {
  /// Issuer and name; neither runs into the other.
  var name: [UInt8] { Array("\(issuer.utf8.count).\(issuer)\(tokenID)".utf8) }
}

/// What a replay store says of a token or a proof.
public enum ReplayVerdict: Sendable, Hashable {
  /// It was not seen before, and is noted now.
  case new
  /// It was seen before.
  case seen
  /// Who made it has as many noted as one may have. There is such a quota for makers that anybody can be.
  case quotaReached
  /// It can't be noted, because too many are.
  case storeFull
}

extension ReplayVerdict {
  /// Refuses what is not new.
  ///
  /// - Parameter maker: the member that names who made the token or proof.
  func requireNew(of maker: String) throws(JOSEError) {
    switch self {
    case .new: return
    case .seen: throw JOSEError(.claimMismatch, "it was used before", name: "jti")
    case .quotaReached:
      throw JOSEError(.replayQuotaReached, "whoever made it has made as many as one may in this time", name: maker)
    case .storeFull: throw JOSEError(.replayStoreFull, "it could not be noted; another may be sent later", name: "jti")
    }
  }
}

/// Remembers the tokens that were used, so that none is taken twice. A server of several machines shares one among them.
public protocol JWTReplayStore: Sendable {
  /// Notes a token, atomically.
  ///
  /// - Parameters:
  ///   - entry: the token. It is named by `iss` and `jti` together, to be compared as bytes.
  ///   - now: the verifier's time, by which earlier tokens have expired or not.
  /// - Returns: whether it is new, and noted.
  /// - Throws: anything, if the store doesn't answer. ``SingleUseJWTVerifier`` then refuses the token as ``ReplayVerdict/storeFull``.
  func record(_ entry: JWTReplayEntry, now: NumericDate) async throws -> ReplayVerdict

  /// Whether a token was noted, with nothing changed: for tokens that are noted once they have been acted on, because
  /// their sender repeats them until then.
  ///
  /// A store that leaves it out notes the token already here: one whose action failed is not taken again.
  /// - Parameters:
  ///   - entry: the token, as in ``record(_:now:)``.
  ///   - now: the verifier's time.
  /// - Throws: anything, if the store doesn't answer. The token is then not acted on.
  func isNoted(_ entry: JWTReplayEntry, now: NumericDate) async throws -> Bool
}

extension JWTReplayStore {
  /// Notes the token.
  ///
  /// - Throws: what the store throws, and ``JOSEErrorCode/replayStoreFull`` or ``JOSEErrorCode/replayQuotaReached``:
  ///   then nothing is known.
  public func isNoted(_ entry: JWTReplayEntry, now: NumericDate) async throws -> Bool {
    let verdict = try await record(entry, now: now)
    guard verdict != .seen else { return true }
    try verdict.requireNew(of: "iss")
    return false
  }
}

/// A replay store in this process's memory.
///
/// It holds a bounded number of tokens, and where anybody can be an issuer no more of one than its quota, so that a
/// client that makes assertions by the thousand takes no room from others. When it is full it gives up the tokens that
/// expire first, and from then on refuses whatever expires no later than these: nothing that was forgotten is accepted
/// again. What has expired is remembered for another minute, for clocks that are set back.
public actor JWTMemoryReplayStore: JWTReplayStore {
  private var room: ReplayRoom

  /// A store for this many tokens at a time, and for this many of one issuer that ``JWTReplayEntry/limitsIssuer`` holds
  /// for.
  public init(capacity: Int = 250_000, quota: Int = 10_000) {
    room = ReplayRoom(capacity: capacity, quota: quota)
  }

  /// Notes a token; see ``JWTReplayStore/record(_:now:)``.
  public func record(_ entry: JWTReplayEntry, now: NumericDate) -> ReplayVerdict {
    room.record(
      maker: entry.issuer, tokenID: entry.tokenID, expiry: entry.expiry, isLimited: entry.limitsIssuer, now: now)
  }

  // Asynchronous, like the protocol's default: who calls a store of this type would get that one else, which notes.
  /// Whether a token was noted.
  ///
  /// - Throws: ``JOSEErrorCode/replayStoreFull`` if it may have been noted and given up for others.
  public func isNoted(_ entry: JWTReplayEntry, now: NumericDate) async throws(JOSEError) -> Bool {
    try room.isNoted(maker: entry.issuer, tokenID: entry.tokenID, expiry: entry.expiry, now: now)
  }
}
