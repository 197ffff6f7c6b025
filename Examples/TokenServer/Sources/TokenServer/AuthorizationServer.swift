import Hummingbird
import JOSE

/// Issues access tokens to clients that authenticate with registered keys.
struct AuthorizationServer: Sendable {
  let issuer: String
  let key: SigningKey
  /// The resource server that the tokens are for.
  let resource: String
  /// The keys that each client has registered.
  let clients: [String: JWKSet]

  let records = MemoryRecordStore()
  var proofs: DPoPVerifier { DPoPVerifier(algorithms: [.es256, .ed25519], records: records) }

  func addRoutes(to router: Router<BasicRequestContext>) {
    router.get(".well-known/oauth-authorization-server") { _, _ in Response.json(metadata) }
    router.get("jwks") { _, _ in
      Response.json(keySet, headers: [.cacheControl: "max-age=300"])
    }
    router.post("token") { request, _ in await token(request) }
  }

  /// The metadata that others find from the issuer alone (RFC 8414).
  var metadata: [UInt8] {
    let metadata: JSONObject = [
      "issuer": .string(issuer), "jwks_uri": .string(issuer + "/jwks"), "token_endpoint": .string(issuer + "/token"),
      "grant_types_supported": ["client_credentials"], "response_types_supported": [],
      "token_endpoint_auth_methods_supported": ["private_key_jwt"],
      "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
      "dpop_signing_alg_values_supported": ["ES256", "Ed25519"],
    ]
    return metadata.serialized()
  }

  /// The public halves of the signing keys. A new key is published before it signs, and an old one until its last token
  /// has expired.
  var keySet: [UInt8] { JWKSet([key.verificationKey.publicJWK].compactMap { $0 }).serialized() }

  /// Throws unless the client made the assertion, for this server, just now, and for the first time.
  func authenticate(_ clientID: String, assertion: String) async throws(JOSEError) {
    let policy = JWTPolicy.clientAssertion(clientID: clientID, audience: [issuer])
    let verifier = JWTVerifier(keys: clients[clientID] ?? JWKSet([]), algorithms: [.es256], policy: policy)
    _ = try await SingleUseJWTVerifier(verifier, records: records).verify(assertion)
  }

  /// An access token, bound to the key of this thumbprint if there is one.
  func accessToken(for clientID: String, boundTo thumbprint: String?) throws(JOSEError) -> String {
    var claims = JWTClaims.accessToken(
      issuer: issuer, audience: [resource], subject: clientID, clientID: clientID, scope: "orders",
      lifetime: .seconds(300))
    if let thumbprint { try claims.set("cnf", to: ["jkt": thumbprint]) }
    return try JWT.sign(claims, with: key)
  }

  /// Answers a request for a token: grant `client_credentials`, authentication `private_key_jwt`, with or without DPoP.
  func token(_ request: Request) async -> Response {
    var request = request
    let form: FormFields
    let clientID: String
    let assertion: String
    do {
      form = try FormFields(decoding: try await request.collectBody(upTo: 64 << 10).readableBytesView)
      guard try form.requiredValue("grant_type") == "client_credentials" else {
        return .oauthError(.badRequest, "unsupported_grant_type")
      }
      guard try form.requiredValue("client_assertion_type") == Self.assertionType else {
        return .oauthError(.unauthorized, "invalid_client")
      }
      clientID = try form.requiredValue("client_id")
      assertion = try form.requiredValue("client_assertion")
    } catch {
      return .oauthError(.badRequest, "invalid_request")
    }
    do {
      try await authenticate(clientID, assertion: assertion)
    } catch {
      return .oauthError(error.fault == .unavailable ? .serviceUnavailable : .unauthorized, "invalid_client")
    }
    do {
      // Without a proof, the token is a bearer token: any client that has it can use it.
      let proof = try await proofs.verify(
        fields: request.headers[values: .dpop], method: "POST", url: issuer + "/token")
      let token = try accessToken(for: clientID, boundTo: proof?.thumbprint)
      let answer: JSONObject = [
        "access_token": .string(token), "token_type": proof == nil ? "Bearer" : "DPoP", "expires_in": 300,
        "scope": "orders",
      ]
      return .json(answer.serialized(), headers: [.cacheControl: "no-store"])
    } catch {
      return .oauthError(error.fault == .unavailable ? .serviceUnavailable : .badRequest, "invalid_dpop_proof")
    }
  }

  private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}
