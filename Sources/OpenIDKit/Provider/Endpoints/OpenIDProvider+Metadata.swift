import JOSE
import StrictJSON

/// What the provider says of itself.
///
/// Source: OpenID Connect Discovery 1.0 §3, RFC 8414 §2.
extension OpenIDProvider {
  /// The metadata: addresses, algorithms, and what is supported. A server adds what it knows better, such as
  /// `acr_values_supported`.
  ///
  /// - Throws: `ErrorCode.storeUnavailable` if an addition can't be asked.
  public func metadata() async throws(OpenIDError) -> JSONObject {
    let confidential = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
    let assertions = strings(["ES256", "RS256", "PS256", "Ed25519", "EdDSA"])
    var members: JSONObject = [
      "issuer": .string(issuer), "grant_types_supported": strings(furtherGrants.map(\.type.text)),
      "response_types_supported": [], "dpop_signing_alg_values_supported": strings(proofs.algorithms.map(\.name)),
    ]
    members["introspection_signing_alg_values_supported"] = strings([accessTokenKey.algorithm.name])
    if policy.hasUsers { addLogins(to: &members) }
    for (endpoint, methods) in [
      ("token", confidential + ["none"]), ("revocation", confidential + ["none"]), ("introspection", confidential),
    ] {
      members["\(endpoint)_endpoint_auth_methods_supported"] = strings(methods)
      members["\(endpoint)_endpoint_auth_signing_alg_values_supported"] = assertions
    }
    for (place, path) in ProviderAddresses.paths where offers(place) {
      if let member = place.member { members[member] = .string(issuer + path) }
    }
    let more = try await OpenIDError.askingStore { try await addition?.discoveryMembers() }
    for (name, value) in more?.members ?? [] {
      // Lists that both have are joined.
      guard let mine = members[name]?.arrayValue, let theirs = value.arrayValue else {
        members[name] = value
        continue
      }
      members[name] = .array(mine + theirs.filter { !mine.contains($0) })
    }
    return members
  }

  private func addLogins(to members: inout JSONObject) {
    let more: JSONObject = [
      "scopes_supported": strings(["openid"] + ReleasedClaims.ofScopes.map(\.key.text) + ["offline_access"]),
      "response_types_supported": ["code"], "response_modes_supported": ["query"],
      "grant_types_supported": strings(
        [GrantType.authorizationCode, GrantType.refreshToken] + furtherGrants.map(\.type.text)),
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": strings(keys.signingAlgorithms.map(\.name)),
      "display_values_supported": ["page"], "claim_types_supported": ["normal"],
      "claims_supported": strings(
        ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash"]
          + ReleasedClaims.ofScopes.flatMap(\.value)),
      "claims_parameter_supported": true, "request_parameter_supported": false,
      "request_uri_parameter_supported": false, "code_challenge_methods_supported": ["S256"],
      "authorization_response_iss_parameter_supported": true, "require_pushed_authorization_requests": false,
      "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
      "prompt_values_supported": ["none", "login", "consent", "select_account"],
    ]
    for (name, value) in more.members { members[name] = value }
    if clients.takesDocuments { members["client_id_metadata_document_supported"] = true }
  }

  private func strings(_ list: [String]) -> JSONValue { .array(list.map { .string($0) }) }
}
