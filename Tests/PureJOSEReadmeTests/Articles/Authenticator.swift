import JOSE

/// What the API's tokens say.
struct Session: Decodable {
  let sub: String
  let scope: String
}

/// Verifies the access tokens of one issuer.
struct Authenticator {
  let verifier: JWTVerifier

  /// - Parameter keySet: the issuer's JWK Set, as fetched.
  init(keySet: [UInt8]) throws {
    verifier = JWTVerifier(
      keys: try JWKSet(parsing: keySet), algorithms: [.es256],
      policy: .accessToken(issuer: "https://idp.example.com", audience: "https://api.example.com"))
  }

  /// The session of an `Authorization` header, or nil.
  func session(authorization: String) -> Session? {
    guard authorization.hasPrefix("Bearer ") else { return nil }
    do {
      return try verifier.verify(String(authorization.dropFirst(7)), as: Session.self).claims
    } catch {
      // error.code says why (expired, wrong audience, forged, …); its text never holds the token.
      return nil
    }
  }
}
