import StrictJSON

/// An ID token that is to be issued: the one place where ID tokens are written, by the rules with which
/// ``JWTPolicy/idToken(from:clientID:answering:clock:)`` reads them.
///
/// Source: OpenID Connect Core 1.0 (errata set 2) §2, §3.1.3.6.
package struct IDTokenDraft: Sendable {
  /// `iss`.
  package let issuer: String
  /// `aud`: the client that asked.
  package let clientID: String
  /// `sub`.
  package let subject: String
  /// `iat`.
  package let issuedAt: NumericDate
  /// From `iat` to `exp`.
  package let lifetime: Duration
  /// The request's nonce.
  package var nonce: String?
  /// `auth_time`.
  package var authenticationTime: NumericDate?
  /// `acr`.
  package var authenticationContext: String?
  /// `amr`.
  package var authenticationMethods: [String]?
  /// `sid`.
  package var sessionID: String?
  /// The access token that goes with it, for `at_hash`.
  package var accessToken: String?
  /// The authorization code that goes with it, for `c_hash`.
  package var code: String?
  /// `ds_hash`, as the provider binds device secrets.
  package var deviceSecretHash: String?
  private var others: JSONObject = [:]

  /// A token of these parties.
  package init(issuer: String, clientID: String, subject: String, issuedAt: NumericDate, lifetime: Duration) {
    (self.issuer, self.clientID, self.subject) = (issuer, clientID, subject)
    (self.issuedAt, self.lifetime) = (issuedAt, lifetime)
  }

  /// The claims that are the issuer's alone, also where it says nothing: another `nonce` or `ds_hash` would bind a
  /// login to what the issuer never saw.
  package static let ownClaims: [WireName] = [
    "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "acr", "amr", "azp", "sid", "at_hash",
    "c_hash", "s_hash", "ds_hash", "cnf", "events", "act", "may_act", "sub_jwk",
  ]

  /// Refuses claims about a user that are the issuer's own.
  ///
  /// - Throws: an error of this code, with the claim's name.
  package static func requireNoneOfOwn(
    _ claims: JSONObject, code: ErrorCode = .callerMisuse
  ) throws(JOSEError) {
    guard let name = claims.names.first(where: { ownClaims.contains($0) }) else { return }
    throw JOSEError(code, "a claim about the user would replace one that the issuer writes", name: name)
  }

  /// Adds claims about the user.
  ///
  /// - Throws: an error of this code for a name that is the issuer's own.
  package mutating func add(_ claims: JSONObject, code: ErrorCode = .callerMisuse) throws(JOSEError) {
    try Self.requireNoneOfOwn(claims, code: code)
    for (name, value) in claims.members { others[name] = value }
  }

  /// Signs the token.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` for a subject that OpenID Connect forbids, ``ErrorCode/externalKeyFailed``.
  package func signed(with key: SigningKey, type: String? = "JWT") throws(JOSEError) -> String {
    // All else that has a rule has its type by the draft's members, and none of it is among the others.
    guard JWTPolicy.isSubject(subject) else { throw Self.subjectIsIllegal }
    return try JWT.sign(claims(for: key.algorithm), with: key, type: type)
  }

  private func claims(for algorithm: SignatureAlgorithm) -> JSONObject {
    var claims: JSONObject = [
      "iss": .string(issuer), "sub": .string(subject), "aud": .string(clientID),
      "iat": .number(JSONNumber(issuedAt.wholeSeconds)),
      "exp": .number(JSONNumber(issuedAt.advanced(by: lifetime).wholeSeconds)),
    ]
    if let authenticationTime { claims["auth_time"] = .number(JSONNumber(authenticationTime.wholeSeconds)) }
    if let authenticationContext { claims["acr"] = .string(authenticationContext) }
    if let authenticationMethods { claims["amr"] = .array(authenticationMethods.map { .string($0) }) }
    if let nonce { claims["nonce"] = .string(nonce) }
    if let accessToken { claims["at_hash"] = .string(algorithm.leftHalfHash(of: accessToken)) }
    if let code { claims["c_hash"] = .string(algorithm.leftHalfHash(of: code)) }
    if let sessionID { claims["sid"] = .string(sessionID) }
    if let deviceSecretHash { claims["ds_hash"] = .string(deviceSecretHash) }
    for (name, value) in others.members { claims[name] = value }
    return claims
  }

  private static var subjectIsIllegal: JOSEError {
    JOSEError(.callerMisuse, "a subject has 1 to 255 printable ASCII characters, not only spaces", name: "sub")
  }

  /// Refuses claims that no verifier of this package would read as they are meant.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` with the claim's name.
  static func requireLegal(_ claims: JSONObject) throws(JOSEError) {
    guard let subject = claims["sub"]?.stringValue, JWTPolicy.isSubject(subject) else {
      throw subjectIsIllegal
    }
    for (name, value) in claims.members {
      let isLegal =
        switch WireName(name) {
        case "nonce", "acr", "azp", "sid", "jti", "at_hash", "c_hash", "s_hash", "ds_hash": value.stringValue != nil
        case "amr": value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
        case "auth_time": value.doubleValue != nil
        case "events": false
        default: true
        }
      guard isLegal else {
        throw JOSEError(.callerMisuse, "the claim must have the type that OpenID Connect defines", name: name)
      }
    }
  }
}

extension IDTokenDraft {
  /// Takes what claims say of the login: `acr`, `amr`, `auth_time` and `sid`. Returns the others.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` for one that has not the type that OpenID Connect defines.
  package mutating func takeLogin(from claims: JSONObject) throws(JOSEError) -> JSONObject {
    var rest = claims
    func taken<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(JOSEError) -> Value? {
      guard let value = rest[name] else { return nil }
      rest[name] = nil
      guard let read = read(value) else {
        throw JOSEError(.callerMisuse, "the claim must have the type that OpenID Connect defines", name: name)
      }
      return read
    }
    authenticationContext = try taken("acr", \.stringValue)
    authenticationMethods = try taken("amr") { value in
      let methods = value.arrayValue?.compactMap(\.stringValue)
      return methods?.count == value.arrayValue?.count ? methods : nil
    }
    authenticationTime = try taken("auth_time") { $0.doubleValue.map { NumericDate(saturating: $0) } }
    sessionID = try taken("sid", \.stringValue)
    return rest
  }
}
