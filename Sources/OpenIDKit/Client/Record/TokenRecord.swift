import PureCrypto
import JOSE
import StrictJSON

/// All that is kept of one login, written as one unit.
///
/// It holds tokens: keep it where secrets belong, on this device only, out of backups and logs.
public struct TokenRecord: Sendable {
  /// A refresh whose answer has not been stored: it may have happened or not.
  package struct PendingRotation: Sendable, Hashable {
    /// When it was announced.
    package var startedAt: NumericDate
    /// The first 16 hexadecimal digits of SHA-256 of the refresh token that was about to be sent.
    package var refreshTokenFingerprint: String
  }

  /// Random, different for each login.
  package var loginID: WireName
  /// Counts the writes of one login.
  package var revision: UInt64
  /// Counts the rotations of one login.
  package var generation: UInt64
  /// Whether refreshing is possible at all.
  package var kind: LoginKind
  /// Who is logged in, if the app says so. A hint for the next login.
  public var subject: String?
  /// The access token. Nil if the last one was unusable.
  package var accessToken: String?
  /// `token_type`: the scheme by which the access token is presented.
  package var tokenType: String
  /// The scope that the user granted, if it is known. The refresh token keeps it, however narrow an access token is.
  package var scope: String?
  /// When the access token was asked for.
  public var issuedAt: NumericDate
  /// The access token's lifetime in seconds.
  package var lifetime: Double
  /// The refresh token that the next refresh presents, if there is one.
  package var refreshToken: String?
  /// When the refresh token expires, if that is known.
  public var refreshTokenExpiration: NumericDate?
  /// The ID token that is current.
  public var idToken: String?
  /// The ID token of the login, if a refresh has brought another one: what later ones must agree with.
  package var loginIDToken: String?
  /// When the user last logged in in full. A refresh does not move it.
  public var lastFullLogin: NumericDate
  /// A refresh that may have happened.
  package var pendingRotation: PendingRotation?
  /// The scope of the access token, if a refresh has said that it is another one than the user granted.
  package var accessTokenScope: String?

  /// When the access token expires, counted from the request.
  public var expiration: NumericDate { issuedAt.advanced(by: lifetime) }

  /// Whether there is a refresh token that may be used.
  public var isRefreshable: Bool { refreshToken != nil && kind == .refreshable }
}

extension TokenRecord: Redacted {}

extension TokenRecord {
  /// The record as JSON. It holds tokens.
  package func serialized() -> [UInt8] {
    var object: JSONObject = [
      "version": 1, "loginID": .string(loginID.text), "revision": .number(JSONNumber(revision)),
      "generation": .number(JSONNumber(generation)), "kind": .string(kind.rawValue),
      "tokenType": .string(tokenType), "issuedAt": StoredJSON.number(issuedAt.secondsSince1970),
      "lifetime": StoredJSON.number(lifetime), "lastFullLogin": StoredJSON.number(lastFullLogin.secondsSince1970),
    ]
    object["subject"] = subject.map { .string($0) }
    object["accessToken"] = accessToken.map { .string($0) }
    object["scope"] = scope.map { .string($0) }
    object["accessTokenScope"] = accessTokenScope.map { .string($0) }
    object["refreshToken"] = refreshToken.map { .string($0) }
    object["refreshTokenExpiration"] = refreshTokenExpiration.map { StoredJSON.number($0.secondsSince1970) }
    object["idToken"] = idToken.map { .string($0) }
    object["loginIDToken"] = loginIDToken.map { .string($0) }
    if let pendingRotation {
      object["pendingRotation"] = [
        "startedAt": StoredJSON.number(pendingRotation.startedAt.secondsSince1970),
        "refreshTokenFingerprint": .string(pendingRotation.refreshTokenFingerprint),
      ]
    }
    return object.serialized()
  }

  /// Reads what a ``TokenManager`` has written into its store.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  public init(parsing json: some Collection<UInt8>) throws(OpenIDError) {
    do throws(JSONError) {
      let object = try JSONObject(parsing: json)
      guard try object.integer("version") == 1, let kind = LoginKind(rawValue: try object.string("kind")),
        let revision = try object.number("revision").exactly(UInt64.self),
        let generation = try object.number("generation").exactly(UInt64.self)
      else { throw JSONError(.typeMismatch, "not a record of this version") }
      self.init(
        loginID: WireName(try object.string("loginID")), revision: revision, generation: generation, kind: kind,
        subject: try object.string(ifPresent: "subject"), accessToken: try object.string(ifPresent: "accessToken"),
        tokenType: try object.string("tokenType"), scope: try object.string(ifPresent: "scope"),
        issuedAt: try StoredJSON.date(object.number("issuedAt")), lifetime: try object.number("lifetime").double,
        refreshToken: try object.string(ifPresent: "refreshToken"),
        idToken: try object.string(ifPresent: "idToken"),
        loginIDToken: try object.string(ifPresent: "loginIDToken"),
        lastFullLogin: try StoredJSON.date(object.number("lastFullLogin")))
      accessTokenScope = try object.string(ifPresent: "accessTokenScope")
      if let expiration = try object.number(ifPresent: "refreshTokenExpiration") {
        refreshTokenExpiration = try StoredJSON.date(expiration)
      }
      if let pending = try object.object(ifPresent: "pendingRotation") {
        pendingRotation = PendingRotation(
          startedAt: try StoredJSON.date(pending.number("startedAt")),
          refreshTokenFingerprint: try pending.string("refreshTokenFingerprint"))
      }
    } catch {
      throw OpenIDError(.recordMalformed, "the stored record can't be read")
    }
  }
}
