import JOSE
import PureCrypto
import StrictJSON

/// What a token endpoint answers, for any grant: the tokens that it issues.
public struct TokenAnswer: Sendable {
  /// `access_token`: what resource servers are sent. Secret.
  public var accessToken: String
  /// `token_type`: how the access token is sent, `Bearer` or `DPoP`; case doesn't matter (RFC 6749 §7.1).
  public var tokenType: String
  /// `expires_in`; nil if the server does not say.
  public var expiresIn: Duration?
  /// `refresh_token`. If nil at a refresh, the old one stays good.
  public var refreshToken: String?
  /// `refresh_token_expires_in`, if the server says so.
  public var refreshTokenExpiresIn: Duration?
  /// `scope`, if it differs from what was asked for.
  public var scope: String?
  /// `id_token`, if the answer has one. It has not been verified.
  public var idToken: String?
  /// What a provider sends beside these, such as `device_secret`. A client finds nothing here.
  package var additionalMembers: JSONObject = [:]

  /// Tokens of an answer that a caller's own code has read, or for tests.
  public init(
    accessToken: String, tokenType: String = "Bearer", expiresIn: Duration? = nil, refreshToken: String? = nil,
    refreshTokenExpiresIn: Duration? = nil, scope: String? = nil, idToken: String? = nil
  ) {
    (self.accessToken, self.tokenType, self.expiresIn) = (accessToken, tokenType, expiresIn)
    (self.refreshToken, self.refreshTokenExpiresIn, self.scope) = (refreshToken, refreshTokenExpiresIn, scope)
    self.idToken = idToken
  }
}

extension TokenAnswer: Redacted {}

extension TokenAnswer {
  /// Whether the access token is good with a proof by a key, or else as it is.
  package func isType(bound: Bool) -> Bool { OAuthAnswer.isType(tokenType, among: bound ? "dpop" : "bearer") }
}

extension TokenAnswer {
  /// These tokens as they are at a date, with what is left of their lifetimes: these count from the receipt, and an
  /// answer may have waited for the keys that it is judged by. A clock that was set back adds nothing to them.
  package func aged(since receipt: NumericDate, at now: NumericDate) -> TokenAnswer {
    let waited = max(0, now.secondsSince1970 - receipt.secondsSince1970)
    guard waited > 0 else { return self }
    func left(of lifetime: Duration) -> Duration { Duration(saturating: max(0, lifetime.inSeconds - waited)) }
    var aged = self
    aged.expiresIn = left(of: expiresIn ?? TokenRecord.assumedLifetime)
    aged.refreshTokenExpiresIn = refreshTokenExpiresIn.map(left)
    return aged
  }
}

extension TokenAnswer {
  /// The body of a token endpoint's answer (RFC 6749 §5.1).
  package var jsonObject: JSONObject {
    var object: JSONObject = ["access_token": .string(accessToken), "token_type": .string(tokenType)]
    if let expiresIn { object["expires_in"] = .number(JSONNumber(expiresIn.wholeSeconds)) }
    if let scope { object["scope"] = .string(scope) }
    if let refreshToken { object["refresh_token"] = .string(refreshToken) }
    if let idToken { object["id_token"] = .string(idToken) }
    for (name, value) in additionalMembers.members where object[name] == nil { object[name] = value }
    return object
  }
}
