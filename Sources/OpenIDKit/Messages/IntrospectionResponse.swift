import PureCrypto
import JOSE
import StrictJSON

/// What a token is good for.
///
/// Source: RFC 7662 §2.2, RFC 9470 §6.2.
public struct IntrospectionResponse: Sendable, Hashable {
  /// `active`: whether the token is good now, for the server that asks. If not, there are no other members.
  public let isActive: Bool
  /// `scope`: the scope values that the token has, split at spaces; empty if the server names none (RFC 7662 §2.2).
  public var scope: [String] = []
  /// `client_id`: the client that asked for the token.
  public var clientID: String?
  /// `username`: for people.
  public var username: String?
  /// `token_type`: `Bearer` or `DPoP`; nil for a refresh token.
  public var tokenType: String?
  /// `exp`: from when on the token is not good any more.
  public var expiration: NumericDate?
  /// `iat`: when the token was issued.
  public var issuedAt: NumericDate?
  /// `nbf`: before when the token is not good yet.
  public var notBefore: NumericDate?
  /// `sub`: the user who granted the token, as the issuer names it; unique within the issuer.
  public var subject: String?
  /// `aud`: the resource servers that the token is for; empty if the server names none.
  public var audience: [String] = []
  /// `iss`: the authorization server that issued the token.
  public var issuer: String?
  /// `jti`: the token's unique name.
  public var tokenID: String?
  /// `cnf.jkt`: the thumbprint of the key that the token is bound to (RFC 9449 §6.2).
  public var keyThumbprint: String?
  /// `acr`: how the user authenticated.
  public var authenticationContext: String?
  /// `auth_time`: when the user authenticated.
  public var authenticationTime: NumericDate?

  /// A token that is good now.
  public static var active: IntrospectionResponse { IntrospectionResponse(isActive: true) }
  /// A token that is not good, for whatever reason.
  public static let inactive = IntrospectionResponse(isActive: false)

  private init(isActive: Bool) { self.isActive = isActive }

  /// Reads an answer. Members that it does not know are ignored.
  ///
  /// - Throws: `ErrorCode.answerMalformed` for what is not a JSON object with a boolean `active`, or has
  ///   one of the members in another type: a token whose expiration can't be read is not one that lasts for ever.
  public init(parsing body: some Collection<UInt8>) throws(OpenIDError) {
    guard let object = try? JSONObject(parsing: body, limits: OAuthAnswer.limits),
      case .bool(let isActive)? = object["active"]
    else { throw Self.malformed("active") }
    self.isActive = isActive
    guard isActive else { return }
    scope = try Self.string(object, "scope").map(\.words) ?? []
    clientID = try Self.string(object, "client_id")
    username = try Self.string(object, "username")
    tokenType = try Self.string(object, "token_type")
    subject = try Self.string(object, "sub")
    if subject?.isEmpty == true { throw Self.malformed("sub") }
    issuer = try Self.string(object, "iss")
    authenticationContext = try Self.string(object, "acr")
    authenticationTime = try Self.date(object, "auth_time")
    tokenID = try Self.string(object, "jti")
    expiration = try Self.date(object, "exp")
    issuedAt = try Self.date(object, "iat")
    notBefore = try Self.date(object, "nbf")
    audience = try Self.audience(object["aud"])
    if let confirmation = object["cnf"] {
      guard let members = confirmation.objectValue else { throw Self.malformed("cnf") }
      keyThumbprint = try Self.string(members, "jkt")
    }
  }

  /// Whether the token is good at a time, by the server's word and by the times that it names.
  public func isGood(at now: NumericDate) -> Bool {
    guard isActive else { return false }
    if let expiration, now >= expiration { return false }
    if let notBefore, now < notBefore { return false }
    return true
  }

  /// The answer's JSON. Of a token that is not good, nothing but that.
  public var jsonObject: JSONObject {
    guard isActive else { return ["active": false] }
    var object: JSONObject = ["active": true]
    if !scope.isEmpty { object["scope"] = .string(scope.joined(separator: " ")) }
    for (name, value) in [
      ("client_id", clientID), ("username", username), ("token_type", tokenType), ("sub", subject), ("iss", issuer),
      ("jti", tokenID), ("acr", authenticationContext),
    ] {
      object[name] = value.map { .string($0) }
    }
    for (name, date) in [("exp", expiration), ("iat", issuedAt), ("nbf", notBefore), ("auth_time", authenticationTime)]
    {
      object[name] = date.map { .number(JSONNumber($0.wholeSeconds)) }
    }
    switch audience.count {
    case 0: break
    case 1: object["aud"] = .string(audience[0])
    default: object["aud"] = .array(audience.map { .string($0) })
    }
    if let keyThumbprint { object["cnf"] = ["jkt": .string(keyThumbprint)] }
    return object
  }

  private static func string(_ object: JSONObject, _ name: String) throws(OpenIDError) -> String? {
    guard let value = object[name] else { return nil }
    guard let string = value.stringValue else { throw malformed(name) }
    return string
  }

  private static func date(_ object: JSONObject, _ name: String) throws(OpenIDError) -> NumericDate? {
    guard let value = object[name] else { return nil }
    guard let date = value.doubleValue.flatMap(NumericDate.init(secondsSince1970:)) else { throw malformed(name) }
    return date
  }

  private static func audience(_ value: JSONValue?) throws(OpenIDError) -> [String] {
    switch value {
    case nil: return []
    case .string(let name)?: return [name]
    case .array(let values)?:
      let names = values.compactMap(\.stringValue)
      guard names.count == values.count else { throw malformed("aud") }
      return names
    default: throw malformed("aud")
    }
  }

  private static func malformed(_ name: String) -> OpenIDError {
    OpenIDError(.answerMalformed, "the response is not a valid introspection response", name: name)
  }
}

extension IntrospectionResponse: Redacted {}
