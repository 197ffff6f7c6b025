import HTTPTypes
import Hummingbird
import JOSE
import NIOCore

/// The provider's metadata.
///
/// Source: OpenID Connect Discovery 1.0 §3, RFC 8414.
extension Provider {
  func discovery() async throws -> Response {
    func url(_ path: String) -> JSONValue { .string(settings.issuer + path) }
    let methods = JSONValue.strings(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])
    let confidential = JSONValue.strings(["client_secret_basic", "client_secret_post", "private_key_jwt"])
    let assertions = JSONValue.strings(["ES256", "RS256", "PS256", "Ed25519", "EdDSA"])
    var members: JSONObject = [
      "issuer": .string(settings.issuer), "authorization_endpoint": url("/authorize"), "token_endpoint": url("/token"),
      "userinfo_endpoint": url("/userinfo"), "jwks_uri": url("/jwks"),
      "pushed_authorization_request_endpoint": url("/par"), "introspection_endpoint": url("/introspect"),
      "revocation_endpoint": url("/revoke"), "end_session_endpoint": url("/logout"),
      "scopes_supported": .strings(Scopes.all), "response_types_supported": ["code"],
      "response_modes_supported": ["query"], "grant_types_supported": ["authorization_code", "refresh_token"],
      "acr_values_supported": .strings(AuthenticationContext.all), "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["RS256", "ES256"],
      "token_endpoint_auth_methods_supported": methods, "token_endpoint_auth_signing_alg_values_supported": assertions,
      "introspection_endpoint_auth_methods_supported": confidential,
      "introspection_endpoint_auth_signing_alg_values_supported": assertions,
      "revocation_endpoint_auth_methods_supported": methods,
      "revocation_endpoint_auth_signing_alg_values_supported": assertions,
      "display_values_supported": ["page"], "claim_types_supported": ["normal"],
      "claims_supported": .strings(
        ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash"]
          + Scopes.claims.flatMap(\.value)),
      "claims_parameter_supported": true, "request_parameter_supported": false,
      "request_uri_parameter_supported": false, "code_challenge_methods_supported": ["S256"],
      "authorization_response_iss_parameter_supported": true, "require_pushed_authorization_requests": false,
      "dpop_signing_alg_values_supported": .strings(Self.proofAlgorithms.map(\.name)),
      "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
      "prompt_values_supported": ["none", "login", "consent", "select_account"],
    ]
    let parts = extensions
    let more = try await partMembers.value {
      var all: [JSONObject] = []
      for part in parts { all.append(try await part.discoveryMembers()) }
      return all
    }
    for part in more {
      for (name, value) in part.members {
        // Lists that both have are joined.
        guard let mine = members[name]?.arrayValue, let theirs = value.arrayValue else {
          members[name] = value
          continue
        }
        members[name] = .array(mine + theirs.filter { !mine.contains($0) })
      }
    }
    return Self.document(members.serialized(), "application/json", lifetime: 300)
  }

  /// Reads what metadata and key set need, so that both are there even if the database goes away at once.
  package func readDocuments() async throws {
    _ = try await discovery()
    _ = try await keySet()
  }

  func keySet() async throws -> Response {
    return Self.document(
      try await keys.publishedKeys().serialized(), "application/json", lifetime: KeyRing.publishedLifetime)
  }

  /// A document that browsers and programs may cache for this many seconds.
  static func document(_ body: [UInt8], _ type: String, lifetime: Int) -> Response {
    Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "max-age=\(lifetime)"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// The algorithms of proofs of possession.
  static let proofAlgorithms: [SignatureAlgorithm] = [.es256, .ps256, .rs256, .ed25519, .eddsa]
}
