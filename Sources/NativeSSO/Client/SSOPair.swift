import JOSE
import StrictJSON

/// The device secret and the ID token that binds it, which travel together, with what is known about them.
///
/// Descriptions show neither.
public struct SSOPair: Sendable {
  /// The issuer. The pair goes to this issuer's token endpoint and nowhere else.
  public let issuer: String
  /// `sub` of the ID token.
  public let subject: String
  /// `sid` of the ID token. Absent: the provider's profile has no session binding.
  public let sessionID: String?
  /// The client that the ID token was issued to.
  public let clientID: String
  /// The device secret.
  public let deviceSecret: DeviceSecret
  /// The ID token.
  public let idToken: String
  /// The recipe that `ds_hash` was found to follow.
  public let dsHashRecipe: DSHashRecipe?
  /// When the ID token expires. Providers accept it longer here.
  public let idTokenExpiration: NumericDate
  /// `iat` of the ID token.
  public let idTokenIssuedAt: NumericDate
  /// When the pair was stored.
  public let storedAt: NumericDate
  /// The app that stored it.
  public let writer: String

  init(
    claims: IDTokenClaims, clientID: String, deviceSecret: DeviceSecret, idToken: String, dsHashRecipe: DSHashRecipe?,
    storedAt: NumericDate, writer: String
  ) {
    issuer = claims.issuer
    subject = claims.subject
    sessionID = claims.sessionID
    self.clientID = clientID
    self.deviceSecret = deviceSecret
    self.idToken = idToken
    self.dsHashRecipe = dsHashRecipe
    idTokenExpiration = claims.expiration
    idTokenIssuedAt = claims.issuedAt
    self.storedAt = storedAt
    self.writer = writer
  }
}

extension SSOPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Neither part, nor whom they are about.
  public var description: String { "SSOPair(redacted)" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a shared store holds for one issuer: a pair or none, and how often that has changed.
///
/// The generation counts on when a pair is deleted, so that a reader from before never mistakes a later pair for its own.
public struct SSOPairEntry: Sendable {
  /// 0 if there never was a pair; then one more with each change.
  public let generation: UInt64
  /// The pair, unless it was deleted.
  public let pair: SSOPair?

  /// An entry.
  public init(generation: UInt64, pair: SSOPair?) {
    self.generation = generation
    self.pair = pair
  }

  /// The entry of an issuer about which nothing was ever stored.
  public static let empty = SSOPairEntry(generation: 0, pair: nil)

  /// The entry that follows this one.
  public func next(_ pair: SSOPair?) -> SSOPairEntry { SSOPairEntry(generation: generation &+ 1, pair: pair) }
}
