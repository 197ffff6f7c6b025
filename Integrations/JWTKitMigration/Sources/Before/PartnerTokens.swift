import JWTKit

struct PartnerPayload: JWTPayload {
  let iss: IssuerClaim
  let sub: SubjectClaim
  let aud: AudienceClaim
  let exp: ExpirationClaim
  let roles: [String]

  func verify(using algorithm: some JWTAlgorithm) throws {
    try exp.verifyNotExpired()
    try aud.verifyIntendedAudience(includes: "orders")
    guard iss.value == "https://partner.example.com" else {
      throw JWTError.generic(identifier: "iss", reason: "another issuer")
    }
    guard roles.contains("buyer") else { throw JWTError.generic(identifier: "roles", reason: "not a buyer") }
  }
}

/// Tokens of a partner, whose buyers may order.
struct PartnerTokens: Sendable {
  let keys: JWTKeyCollection

  init(json: String) async throws {
    keys = try await JWTKeyCollection().add(jwksJSON: json)
  }

  func buyer(of token: String) async throws -> String {
    try await keys.verify(token, as: PartnerPayload.self).sub.value
  }
}
