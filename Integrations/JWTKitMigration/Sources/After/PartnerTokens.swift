import JOSE

struct PartnerClaims: Decodable {
  let sub: String
  let roles: [String]
}

/// Tokens of a partner, whose buyers may order.
struct PartnerTokens: Sendable {
  struct NotABuyer: Error {}

  let verifier: JWTVerifier

  init(json: String) throws {
    verifier = JWTVerifier(
      keys: try JWKSet(parsing: json), algorithms: [.es256], issuer: "https://partner.example.com", audience: "orders")
  }

  func buyer(of token: String) throws -> String {
    let claims = try verifier.verify(token, as: PartnerClaims.self).claims
    guard claims.roles.contains("buyer") else { throw NotABuyer() }
    return claims.sub
  }
}
