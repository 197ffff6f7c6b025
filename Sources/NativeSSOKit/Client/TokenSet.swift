import PureCrypto
import JOSE
import StrictJSON

/// An app's own tokens, never shared with other apps. Descriptions show none of them.
public struct TokenSet: Sendable {
  /// The access token.
  public var accessToken: String
  /// `Bearer` or `DPoP`, as the server wrote it.
  public var tokenType: String
  /// When the access token lapses.
  public var expiresAt: NumericDate
  /// The refresh token. Some providers give none in an exchange: run the exchange again when the access token lapses.
  public var refreshToken: String?
  /// The app's own ID token, verified.
  public var idToken: String?
  /// The scopes that were granted.
  public var scopes: [String]
  /// The user, as this app's provider names them.
  public var subject: String
  /// `sid`.
  public var sessionID: String?
  /// The ID token of the login, if a refresh has brought another one: what later ones must agree with.
  public var loginIDToken: String?

  /// Tokens that came.
  package init(
    accessToken: String, tokenType: String = "Bearer", expiresAt: NumericDate, refreshToken: String?, idToken: String?,
    scopes: [String], subject: String, sessionID: String? = nil, loginIDToken: String? = nil
  ) {
    (self.accessToken, self.tokenType, self.expiresAt) = (accessToken, tokenType, expiresAt)
    (self.refreshToken, self.idToken, self.scopes, self.subject) = (refreshToken, idToken, scopes, subject)
    (self.sessionID, self.loginIDToken) = (sessionID, loginIDToken)
  }

  /// Reads tokens that an app has stored by itself, for a session's manager to take over.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  public init(parsing json: some Collection<UInt8>) throws(NativeSSOError) {
    guard let object = try? JSONObject(parsing: json), object["v"]?.int64Value == 1,
      let accessToken = object["access_token"]?.stringValue, let tokenType = object["token_type"]?.stringValue,
      let expiresAt = object["expires_at"]?.doubleValue.flatMap(NumericDate.init(secondsSince1970:)),
      let scopes = object["scopes"]?.arrayValue?.map(\.stringValue), !scopes.contains(nil),
      let subject = object["sub"]?.stringValue
    else { throw NativeSSOError(.recordMalformed, "the stored tokens are not legal") }
    self.init(
      accessToken: accessToken, tokenType: tokenType, expiresAt: expiresAt,
      refreshToken: object["refresh_token"]?.stringValue, idToken: object["id_token"]?.stringValue,
      scopes: scopes.compactMap { $0 }, subject: subject, sessionID: object["sid"]?.stringValue,
      loginIDToken: object["login_id_token"]?.stringValue)
  }
}

extension TokenSet: Redacted {}
