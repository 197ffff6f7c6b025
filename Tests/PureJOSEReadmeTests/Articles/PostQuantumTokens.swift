import JOSE

/// An issuer on its way to ML-DSA: it publishes both keys, and signs with the one that the receiver takes.
struct PostQuantumIssuer {
  let classical: SigningKey
  let postQuantum: SigningKey
  /// The audiences that have said that they verify ML-DSA.
  let ready: [String]

  func token(for user: String, audience: String) throws -> String {
    let claims = JWTClaims.accessToken(
      issuer: "https://idp.example.com", audience: Audience([audience]), subject: user, clientID: "shop",
      scope: "orders", lifetime: .seconds(300))
    return try JWT.sign(claims, with: ready.contains(audience) ? postQuantum : classical)
  }

  /// What the issuer's `jwks_uri` answers. Public members only.
  var keySet: [UInt8] {
    JWKSet([classical, postQuantum].compactMap { $0.verificationKey.publicJWK }).serialized()
  }
}

/// A resource server on the same way. Its last step is to leave `.es256` out.
func postQuantumVerifier(keys: JWKSet, algorithms: [SignatureAlgorithm] = [.mlDSA65, .es256]) -> JWTVerifier {
  JWTVerifier(
    keys: keys, algorithms: algorithms,
    policy: .accessToken(issuer: "https://idp.example.com", audience: "https://api.example.com"))
}

/// One signature by each key, of ES256 and ML-DSA-65 for instance.
func signedTwice(_ document: [UInt8], by keys: [SigningKey]) throws -> String {
  try JWS.signJSON(document, with: keys.map { JWSSigner(key: $0) })
}

/// The document, if all of the keys have signed it.
func document(_ message: String, signedBy keys: [VerificationKey]) throws -> [UInt8] {
  try JWS.verifyJSON(message, requiring: .all(of: keys)).payload
}
