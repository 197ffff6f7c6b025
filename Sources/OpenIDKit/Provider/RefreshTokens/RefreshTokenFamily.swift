import JOSE

/// The refresh tokens that descend from one login: one record of the provider's.
///
/// Each login has a family of its own, also of the same user with the same client.
public struct RefreshTokenFamily: Sendable, Hashable {
  /// A family's name: 16 random octets.
  public struct ID: Sendable, Hashable {
    /// 16 octets, drawn at random.
    package let octets: [UInt8]

    /// A name of 16 octets, or nil for any other number.
    package init?(octets: [UInt8]) {
      guard octets.count == 16 else { return nil }
      self.octets = octets
    }
  }

  /// Whether tokens of the family are honoured.
  package enum Status: Sendable, Hashable {
    /// They are.
    case active
    /// They are not any more.
    case revoked(LogoutReason, at: NumericDate)
  }

  /// The family's name.
  package let id: ID
  /// The version that was read; 0 for a family that begins.
  package var version: UInt64 = 0
  /// What was granted to whom.
  package let grant: RefreshGrant
  /// When the user logged in.
  package let createdAt: NumericDate
  /// When the family ends whatever happens; nil for never.
  package var absoluteExpiration: NumericDate?
  /// When a token was last redeemed.
  package var lastUsedAt: NumericDate
  /// Whether tokens are honoured.
  package var status = Status.active
  /// The generation of the one live token.
  package var generation: UInt64 = 1
  /// When the live token took its predecessor's place; nil for the first.
  package var rotatedAt: NumericDate?
  /// How often the predecessor was redeemed again since then.
  package var replayCount = 0

  /// A family that begins. ``RefreshTokenService/issue(_:)`` makes them.
  package init(id: ID, grant: RefreshGrant, createdAt: NumericDate, absoluteExpiration: NumericDate?) {
    (self.id, self.grant, self.createdAt) = (id, grant, createdAt)
    (self.absoluteExpiration, lastUsedAt) = (absoluteExpiration, createdAt)
  }
}

/// What was granted to whom at a login.
public struct RefreshGrant: Sendable, Hashable {
  /// The provider's name for the user, `sub` of the tokens; empty where the code had no user.
  public var subject: String
  /// `client_id` of the client that the tokens are issued to.
  public var clientID: String
  /// The session at the provider, if there is one.
  public var sessionID: String?
  /// The granted scope values.
  public var scope: [String]
  /// The granted resources (RFC 8707).
  public var resources: [String]
  /// The key that the client has to prove possession of, such as a DPoP thumbprint or a device key's identifier.
  public var confirmation: String?
  /// The device secret that the login came from (Native SSO).
  public var deviceSecretID: String?
  /// When the user authenticated, to be repeated in ID tokens.
  public var authenticationTime: NumericDate?
  /// `acr`: how the user authenticated, to be repeated in access tokens (RFC 9470 §6.1) after the session has ended.
  public var authenticationContext: String?
  /// The authorization code's grant that the login came of, ``AuthorizationCodeGrant/id``: with it the family ends if
  /// the code comes again.
  public var grantID: String?
  /// How long the login's access tokens are to live; nil for what the policy says, which also limits it.
  public var accessTokenLifetime: Duration?

  /// A grant to a client, of these members.
  public init(
    subject: String, clientID: String, sessionID: String? = nil, scope: [String], resources: [String] = [],
    confirmation: String? = nil, deviceSecretID: String? = nil, authenticationTime: NumericDate? = nil,
    accessTokenLifetime: Duration? = nil, grantID: String? = nil, authenticationContext: String? = nil
  ) {
    (self.subject, self.clientID, self.sessionID, self.scope) = (subject, clientID, sessionID, scope)
    (self.resources, self.confirmation, self.deviceSecretID) = (resources, confirmation, deviceSecretID)
    (self.authenticationTime, self.accessTokenLifetime) = (authenticationTime, accessTokenLifetime)
    (self.grantID, self.authenticationContext) = (grantID, authenticationContext)
  }

  /// What an authorization code stands for, as a whole.
  ///
  /// - Parameters:
  ///   - code: what it stands for. A code without a user has an empty subject.
  ///   - confirmation: the key that the client has to prove possession of.
  ///   - authenticationTime: when the user authenticated.
  public init(
    _ code: AuthorizationCodeGrant, confirmation: String? = nil, authenticationTime: NumericDate? = nil
  ) {
    self.init(
      subject: code.subject ?? "", clientID: code.clientID, sessionID: code.sessionID, scope: code.scopes,
      resources: code.resources, confirmation: confirmation, authenticationTime: authenticationTime, grantID: code.id)
  }
}

extension RefreshTokenFamily.ID {
  /// The name as text, base64url, for a database's key column.
  public var text: String { Base64URL.encode(octets) }

  /// The name that ``text`` wrote, or nil for anything else.
  public init?(text: String) {
    guard let octets = try? Base64URL.decode(text) else { return nil }
    self.init(octets: octets)
  }
}
