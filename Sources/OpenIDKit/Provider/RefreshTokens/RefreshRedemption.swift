import JOSE
import PureCrypto

/// A refresh request whose client is known.
public struct RefreshRedemption: Sendable {
  /// `refresh_token`: the token that is redeemed. Secret.
  public var refreshToken: String
  /// The client, authenticated or identified.
  public var clientID: String
  /// `scope`: nil for what was granted.
  public var scope: [String]?
  /// `resource`: empty for what was granted.
  public var resources: [String]
  /// The key that the client has proved possession of with this request.
  public var confirmation: String?

  /// A refresh request whose fields have been read and whose client has been authenticated.
  public init(
    refreshToken: String, clientID: String, scope: [String]? = nil, resources: [String] = [],
    confirmation: String? = nil
  ) {
    (self.refreshToken, self.clientID, self.scope, self.resources) = (refreshToken, clientID, scope, resources)
    self.confirmation = confirmation
  }
}

/// What an access token or an ID token is to be made from.
public struct RefreshedGrant: Sendable, Hashable {
  /// What was granted to whom.
  public var grant: RefreshGrant
  /// The scope of this access token.
  public var scope: [String]
  /// The resources of this access token.
  public var resources: [String]
  /// The family, to be written into the access token if it can be revoked.
  public var family: RefreshTokenFamily.ID
  /// The generation, to be written into the access token if earlier ones die with a rotation.
  public var generation: UInt64
  /// The access token's lifetime.
  public var accessTokenLifetime: Duration
  /// When the family began.
  package var beganAt: NumericDate
}

/// A redemption that succeeded.
public struct RefreshResult<Artefacts: Sendable>: Sendable {
  /// The refresh token to answer with.
  public var refreshToken: String
  /// What the caller made of the grant: an access token, perhaps an ID token.
  public var artefacts: Artefacts
  /// What it was made from.
  public var grant: RefreshedGrant
  /// Whether this repeats a rotation whose answer seems to have been lost.
  public var isReplay: Bool
}

extension RefreshRedemption: Redacted {}

extension RefreshResult: Redacted {}
