import JOSE

/// Tokens of an issuer that publishes its keys.
struct PublishedKeys: Sendable {
  private let verifier: JWTVerifier

  init(json: String) throws {
    verifier = JWTVerifier(
      keys: try JWKSet(parsing: json), algorithms: [.es256],
      policy: JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: []))
  }

  func subject(of token: String) throws -> String? {
    try verifier.verify(token).registeredClaims.subject
  }
}

/// An issuer with one key, for tests of both sides.
struct ExampleIssuer: Sendable {
  private let key: SigningKey

  init() throws {
    key = try SigningKey(JWK.generate(.es256, keyID: "now"))
  }

  /// The published set, with further entries.
  func keySet(_ entries: String...) throws -> String {
    guard let publicKey = try key.verificationKey.publicJWK?.serialized() else { return "" }
    return #"{"keys":[\#(([String(decoding: publicKey, as: UTF8.self)] + entries).joined(separator: ","))]}"#
  }

  /// A token whose header names a key, be it the issuer's or not.
  func token(keyID: String) throws -> String {
    try JWT.sign(["sub": "ada"] as JSONObject, with: key, header: HeaderParameters(keyID: keyID))
  }

  /// A partner's token, valid unless the caller changes a claim.
  func partnerToken(
    issuer: String = "https://partner.example.com", audience: String = "orders", lifetime: Duration = .seconds(600),
    roles: [String] = ["reader", "buyer"]
  ) throws -> String {
    let expiration = WallClock.system.now.advanced(by: lifetime)
    return try JWT.sign(
      PartnerToken(iss: issuer, sub: "ada", aud: audience, exp: expiration, roles: roles), with: key)
  }

  private struct PartnerToken: Encodable {
    let iss, sub, aud: String
    let exp: NumericDate
    let roles: [String]
  }
}
