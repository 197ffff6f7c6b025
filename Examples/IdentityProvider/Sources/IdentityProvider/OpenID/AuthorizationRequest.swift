import JOSE
import OpenIDKit

/// A request to the authorization endpoint that may be answered at its client, and the client's registration.
struct AuthorizationRequest: Sendable {
  let client: Client
  let parameters: OAuthAuthorizationRequest
  let claims: ClaimsRequest

  /// Judges the parameters.
  ///
  /// - Parameters:
  ///   - fields: as they came, or as they were pushed.
  ///   - isPushed: whether they were.
  /// - Throws: `OAuthAuthorizationRequest.Refusal`, and what the database throws.
  init(_ fields: FormFields, isPushed: Bool, clients: ClientRepository) async throws {
    var client: Client?
    if let id = fields.values("client_id").first(where: { !$0.isEmpty }) {
      client = try await clients.enabledClient(id: id)
    }
    parameters = try OAuthAuthorizationRequest(fields, of: client?.authorization, isPushed: isPushed)
    let sizes = fields.fields.map { (name: $0.name, count: $0.name.utf8.count + $0.value.utf8.count) }
    guard sizes.allSatisfy({ $0.count <= Self.lengths[$0.name, default: 512] }),
      sizes.reduce(0, { $0 + $1.count }) <= 16_384
    else { throw parameters.refusal("invalid_request", "A parameter is too long") }
    guard let client, parameters.scopes.contains("openid") else {
      throw parameters.refusal("invalid_scope", "The scope openid is missing")
    }
    guard parameters.codeChallenge != nil || !client.requiresPKCE else {
      throw parameters.refusal("invalid_request", "A code challenge is required")
    }
    self.client = client
    claims = ClaimsRequest(asked: parameters.claims)
  }

  /// For each `sub` that `claims` asks for with a value: the users whom the answer may be about.
  var subjects: [[String]] {
    ["userinfo", "id_token"].compactMap { place -> [String]? in
      let asked = parameters.claims[place]?.objectValue?["sub"]?.objectValue
      if let value = asked?["value"] { return [value.stringValue ?? ""] }
      return (asked?["values"]).map { $0.arrayValue?.compactMap(\.stringValue) ?? [] }
    }
  }

  /// How many octets parameters may have that may have more than 512: they are kept while their user logs in.
  private static let lengths = [
    "claims": 4096, "id_token_hint": 8192, "redirect_uri": 2048, "scope": 2048, "state": 2048,
  ]

  /// Whether another program could get the code in the client's place: nobody owns a port or a scheme of an app. Then
  /// the user is asked each time (RFC 8252 §8.6).
  var isImpersonable: Bool { client.isPublic && !parameters.redirectURI.hasPrefix("https://") }

  /// What the user has to agree to.
  var consents: [String] { parameters.scopes + claims.names.map { "claim:" + $0 } }
}

extension Client {
  /// What the authorization endpoint must know of it.
  fileprivate var authorization: OAuthAuthorizationRequest.Client {
    OAuthAuthorizationRequest.Client(
      id: id, redirectURIs: redirectURIs, scopes: scopes + (isNativeSSOEnabled ? ["device_sso"] : []),
      isPublic: isPublic, requiresPushedRequests: requiresPushedRequests, requiredContexts: requiredContexts)
  }
}
