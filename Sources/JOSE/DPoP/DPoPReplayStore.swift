/// One proof, as a replay store sees it.
public struct DPoPReplayEntry: Sendable, Hashable {
  /// The thumbprint of the proof's key.
  public var thumbprint: String
  /// The proof's `jti`. Its sender chose it.
  public var tokenID: String
  /// Whether an access token bound to the key came with the proof. Without one, anybody can make a key and a proof.
  public var isBoundToAccessToken: Bool
  /// The last moment at which the proof can be accepted; afterwards it may be forgotten.
  public var expiry: NumericDate

  /// A proof of these parts.
  public init(thumbprint: String, tokenID: String, isBoundToAccessToken: Bool, expiry: NumericDate) {
    (self.thumbprint, self.tokenID, self.isBoundToAccessToken) = (thumbprint, tokenID, isBoundToAccessToken)
    self.expiry = expiry
  }
}

/// What a replay store says of a proof.
public typealias DPoPReplayVerdict = ReplayVerdict

/// Remembers the proofs that were seen, so that none is taken twice. A server of several machines shares one among them.
public protocol DPoPReplayStore: Sendable {
  /// Notes a proof, atomically.
  ///
  /// - Parameters:
  ///   - entry: the proof. It is named by thumbprint and `jti` together, to be compared as bytes.
  ///   - now: the verifier's time, by which earlier proofs have expired or not.
  /// - Returns: whether it is new, and noted.
  /// - Throws: anything, if the store doesn't answer. ``DPoPVerifier`` then refuses the proof as ``ReplayVerdict/storeFull``.
  func record(_ entry: DPoPReplayEntry, now: NumericDate) async throws -> DPoPReplayVerdict
}
