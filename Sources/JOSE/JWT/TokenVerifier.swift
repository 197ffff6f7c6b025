import StrictJSON

/// What verifies the tokens of a verifier of more than the token: keys that are there, or those of an issuer.
enum TokenVerifier: Sendable {
  case local(JWTVerifier)
  case remote(RemoteJWTVerifier)

  var policy: JWTPolicy {
    switch self {
    case .local(let verifier): verifier.policy
    case .remote(let verifier): verifier.policy
    }
  }

  func verify<Claims: Decodable>(
    _ token: String, as type: Claims.Type = JSONObject.self
  ) async throws(JOSEError) -> VerifiedJWT<Claims> {
    switch self {
    case .local(let verifier):
      try await verifier.policy.status.loading { () throws(JOSEError) in try verifier.verify(token, as: type) }
    case .remote(let verifier): try await verifier.verify(token, as: type)
    }
  }

  func verify<Claims: Decodable>(
    parsed token: UnverifiedJWS, as type: Claims.Type = JSONObject.self
  ) async throws(JOSEError) -> VerifiedJWT<Claims> {
    switch self {
    case .local(let verifier):
      try await verifier.policy.status.loading { () throws(JOSEError) in try verifier.verify(parsed: token, as: type) }
    case .remote(let verifier): try await verifier.verify(parsed: token, as: type)
    }
  }
}
