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

  /// Tokens that an app has kept.
  public init(
    accessToken: String, tokenType: String = "Bearer", expiresAt: NumericDate, refreshToken: String?, idToken: String?,
    scopes: [String], subject: String, sessionID: String? = nil, loginIDToken: String? = nil
  ) {
    (self.accessToken, self.tokenType, self.expiresAt) = (accessToken, tokenType, expiresAt)
    (self.refreshToken, self.idToken, self.scopes, self.subject) = (refreshToken, idToken, scopes, subject)
    (self.sessionID, self.loginIDToken) = (sessionID, loginIDToken)
  }

  /// The tokens as JSON, for a keychain item or a file of mode 0600. They are secret.
  public func serialized() -> [UInt8] {
    var object: JSONObject = [
      "v": 1, "access_token": .string(accessToken), "token_type": .string(tokenType),
      "expires_at": .number(JSONNumber(expiresAt.wholeSeconds)), "scopes": .array(scopes.map { .string($0) }),
      "sub": .string(subject),
    ]
    object["refresh_token"] = refreshToken.map { .string($0) }
    object["id_token"] = idToken.map { .string($0) }
    object["sid"] = sessionID.map { .string($0) }
    object["login_id_token"] = loginIDToken.map { .string($0) }
    return object.serialized()
  }

  /// Reads tokens that ``serialized()`` wrote.
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

/// Where one app keeps what is its own.
public protocol AppTokenStore: Sendable {
  /// Keeps tokens in place of earlier ones.
  ///
  /// - Throws: anything; the sign-in then fails as one whose store failed.
  func save(_ tokens: TokenSet) async throws

  /// Forgets the tokens.
  ///
  /// - Throws: anything; the sign-out then fails as one whose store failed.
  func clear() async throws

  /// Whether the user has signed out of this app, so that it must not sign in by itself.
  ///
  /// - Throws: anything; there is no silent sign-in then.
  func suppressesAutomaticSignIn() async throws -> Bool

  /// Remembers that beyond the end of the process.
  ///
  /// - Throws: anything; the sign-in or sign-out then fails as one whose store failed.
  func setSuppressesAutomaticSignIn(_ suppresses: Bool) async throws
}

/// An app's tokens in memory.
public actor InMemoryAppTokenStore: AppTokenStore {
  /// The tokens kept.
  public private(set) var tokens: TokenSet?
  private var isSuppressed = false

  /// An empty store.
  public init() {}

  /// Keeps tokens.
  public func save(_ tokens: TokenSet) { self.tokens = tokens }

  /// Forgets the tokens.
  public func clear() { tokens = nil }

  /// Whether the user has signed out of this app.
  public func suppressesAutomaticSignIn() -> Bool { isSuppressed }

  /// Remembers that.
  public func setSuppressesAutomaticSignIn(_ suppresses: Bool) { isSuppressed = suppresses }
}
