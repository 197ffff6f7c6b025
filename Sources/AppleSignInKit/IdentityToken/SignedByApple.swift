import JOSE
import StrictJSON

/// What identity tokens and notifications have in common: a JWS by the service.
enum SignedByApple {
  /// The longest token of any kind: until its kind is known, this one holds.
  static let maximumByteCount = 64 * 1024

  /// Takes a token apart. Nothing is verified.
  static func parsed(
    _ token: String, maximumByteCount: Int = SignedByApple.maximumByteCount
  ) throws(JOSEError) -> UnverifiedJWS {
    try require(token.utf8.count, within: maximumByteCount)
    return try UnverifiedJWS(parsing: token, limits: limits)
  }

  /// Verifies the signature, and what a policy demands of the claims.
  static func verify(
    _ token: UnverifiedJWS, keys: JWKSet, service: AppleService, policy: JWTPolicy, maximumByteCount: Int
  ) throws(JOSEError) -> VerifiedJWT<JSONObject> {
    try require(token.text.count, within: maximumByteCount)
    _ = try keyID(of: token, service: service)
    if case .anyOf(let audiences) = policy.audience, audiences.isEmpty {
      throw JOSEError(.callerMisuse, "at least one audience must be accepted", name: "audiences")
    }
    var policy = policy
    // Those of the parsing, so that nothing is taken apart again.
    policy.limits = limits
    let verifier = JWTVerifier(keys: keys, algorithms: service.signatureAlgorithms, policy: policy)
    return try verifier.verify(parsed: token)
  }

  /// The token's `kid`, if there is one and its algorithm is acceptable. Nothing is verified.
  static func keyID(of token: UnverifiedJWS, service: AppleService) throws(JOSEError) -> String {
    let header = token.unverifiedHeader
    guard service.signatureAlgorithmNames.contains(header.algorithmName) else {
      throw JOSEError(
        .algorithmNotAllowed, "the algorithm is not one that the service signs with", name: "alg")
    }
    guard service.signatureAlgorithms.contains(where: { $0.name == header.algorithmName }) else {
      throw JOSEError(.algorithmUnsupported, "the service's algorithm is not implemented", name: "alg")
    }
    guard let keyID = header.keyID, !keyID.isEmpty else {
      throw JOSEError(.headerInvalid, "the token names no key", name: "kid")
    }
    return keyID
  }

  private static func require(_ byteCount: Int, within maximumByteCount: Int) throws(JOSEError) {
    guard byteCount <= maximumByteCount else { throw JOSEError(.limitExceeded, "the token is too long") }
  }

  private static var limits: Limits {
    var limits = Limits.default
    limits.tokenByteCount = maximumByteCount
    return limits
  }
}
