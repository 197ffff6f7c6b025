import JOSE
import StrictJSON

/// What identity tokens and notifications have in common: a JWS by the service.
enum SignedByApple {
  /// Verifies the signature, and what a policy demands of the claims.
  static func verify(
    _ token: String, keys: JWKSet, service: AppleService, policy: JWTPolicy, maximumByteCount: Int
  ) throws(JOSEError) -> VerifiedJWT<JSONObject> {
    let token = try unverified(token, service: service, maximumByteCount: maximumByteCount)
    if case .anyOf(let audiences) = policy.audience, audiences.isEmpty {
      throw JOSEError(.callerMisuse, "no audience is accepted", name: "audiences")
    }
    var policy = policy
    policy.limits = limits(maximumByteCount: maximumByteCount)
    let verifier = JWTVerifier(keys: keys, algorithms: service.signatureAlgorithms, policy: policy)
    return try verifier.verify(parsed: token)
  }

  /// The token's `kid`, if its form and its algorithm are acceptable. Nothing is verified.
  static func keyID(
    of token: String, service: AppleService, maximumByteCount: Int
  ) throws(JOSEError) -> String {
    try unverified(token, service: service, maximumByteCount: maximumByteCount).unverifiedHeader.keyID ?? ""
  }

  /// A token with a `kid`, if its form and its algorithm are acceptable. Nothing is verified.
  private static func unverified(
    _ token: String, service: AppleService, maximumByteCount: Int
  ) throws(JOSEError) -> UnverifiedJWS {
    guard token.utf8.count <= maximumByteCount else {
      throw JOSEError(.limitExceeded, "the token is too long")
    }
    let token = try UnverifiedJWS(parsing: token, limits: limits(maximumByteCount: maximumByteCount))
    let header = token.unverifiedHeader
    guard service.signatureAlgorithmNames.containsBytes(of: header.algorithm) else {
      throw JOSEError(
        .algorithmNotAllowed, "the algorithm is not one that the service signs with", name: "alg")
    }
    guard service.signatureAlgorithms.contains(where: { $0.name.hasSameBytes(as: header.algorithm) }) else {
      throw JOSEError(.algorithmUnsupported, "the service's algorithm is not implemented", name: "alg")
    }
    guard let keyID = header.keyID, !keyID.isEmpty else {
      throw JOSEError(.headerInvalid, "the token names no key", name: "kid")
    }
    return token
  }

  private static func limits(maximumByteCount: Int) -> Limits {
    var limits = Limits.default
    limits.tokenByteCount = maximumByteCount
    return limits
  }
}
