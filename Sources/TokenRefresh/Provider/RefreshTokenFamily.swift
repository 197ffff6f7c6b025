import JOSE
import StrictJSON

/// The refresh tokens that descend from one login: one row in the provider's store.
///
/// Each login has a family of its own, also of the same user with the same client.
public struct RefreshTokenFamily: Sendable, Hashable {
  /// A family's name: 16 random octets.
  public struct ID: Sendable, Hashable {
    /// The octets.
    public let octets: [UInt8]

    /// A name of 16 octets, or nil for any other number.
    public init?(octets: [UInt8]) {
      guard octets.count == 16 else { return nil }
      self.octets = octets
    }
  }

  /// Whether tokens of the family are honoured.
  public enum Status: Sendable, Hashable {
    /// They are.
    case active
    /// They are not any more.
    case revoked(LogoutReason, at: NumericDate)
  }

  /// The family's name.
  public let id: ID
  /// Counts the writes, for compare-and-set.
  public var version: UInt64
  /// What was granted to whom.
  public let grant: RefreshGrant
  /// When the user logged in.
  public let createdAt: NumericDate
  /// When the family ends whatever happens; nil for never.
  public var absoluteExpiration: NumericDate?
  /// When a token was last redeemed.
  public var lastUsedAt: NumericDate
  /// Whether tokens are honoured.
  public var status: Status
  /// The generation of the one live token.
  public var generation: UInt64
  /// When the live token took its predecessor's place; nil for the first.
  public var rotatedAt: NumericDate?
  /// How often the predecessor was redeemed again since then.
  public var replayCount: Int

  /// A family as a store has it. The service makes new ones by ``RefreshTokenService/issue(_:)``.
  public init(
    id: ID, version: UInt64, grant: RefreshGrant, createdAt: NumericDate, absoluteExpiration: NumericDate?,
    lastUsedAt: NumericDate, status: Status, generation: UInt64, rotatedAt: NumericDate?, replayCount: Int
  ) {
    self.id = id
    self.version = version
    self.grant = grant
    self.createdAt = createdAt
    self.absoluteExpiration = absoluteExpiration
    self.lastUsedAt = lastUsedAt
    self.status = status
    self.generation = generation
    self.rotatedAt = rotatedAt
    self.replayCount = replayCount
  }
}

/// What was granted to whom at a login.
public struct RefreshGrant: Sendable, Hashable {
  /// The user.
  public var subject: String
  /// The client.
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

  /// A grant.
  public init(
    subject: String, clientID: String, sessionID: String? = nil, scope: [String], resources: [String] = [],
    confirmation: String? = nil, deviceSecretID: String? = nil, authenticationTime: NumericDate? = nil
  ) {
    self.subject = subject
    self.clientID = clientID
    self.sessionID = sessionID
    self.scope = scope
    self.resources = resources
    self.confirmation = confirmation
    self.deviceSecretID = deviceSecretID
    self.authenticationTime = authenticationTime
  }
}
