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
    guard let client, parameters.scopes.contains("openid") else {
      throw parameters.refusal("invalid_scope", "The scope openid is missing")
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

  /// What the user has to agree to.
  var consents: [String] { parameters.scopes + claims.names.map { "claim:" + $0 } }
}

extension Client {
  /// What the authorization endpoint must know of it.
  fileprivate var authorization: OAuthAuthorizationRequest.Client {
    OAuthAuthorizationRequest.Client(
      id: id, redirectURIs: redirectURIs, scopes: scopes + (isNativeSSOEnabled ? ["device_sso"] : []),
      isPublic: isPublic, requiresPushedRequests: requiresPushedRequests)
  }
}
