import JOSE
import JOSEHTTP

/// Why an authorization request is not answered with a code.
enum AuthorizationRefusal: Error {
  /// On a page of the provider: nobody knows whose address it would be.
  case page(code: String, text: String)
  /// At the client.
  case redirect(code: String, text: String, to: String, state: String?)
}

/// A request to the authorization endpoint that may be answered at the client.
///
/// Source: OpenID Connect Core 1.0 §3.1.2.1, RFC 6749 §4.1.1, RFC 7636 §4.3.
struct AuthorizationRequest: Sendable {
  let client: Client
  let redirectURI: String
  let state: String?
  let scopes: [String]
  let nonce: String?
  let challenge: String?
  let prompt: [String]
  let maximumAge: Int?
  let loginHint: String?
  let idTokenHint: String?
  let contexts: [String]
  let claims: ClaimsRequest
  /// `dpop_jkt` (RFC 9449 §10).
  let keyThumbprint: String?

  /// Judges the parameters.
  ///
  /// - Parameters:
  ///   - fields: as they came, or as they were pushed.
  ///   - isPushed: whether they were.
  /// - Throws: ``AuthorizationRefusal``, and what the database throws.
  init(_ fields: FormFields, isPushed: Bool, clients: ClientRepository) async throws {
    // An empty parameter counts as absent (RFC 6749 §3.1).
    func all(_ name: String) -> [String] { fields.values(name).filter { !$0.isEmpty } }
    let (ids, addresses) = (all("client_id"), all("redirect_uri"))
    guard ids.count == 1, let client = try await clients.enabledClient(id: ids[0]) else {
      throw AuthorizationRefusal.page(code: "invalid_client", text: "The app that sent you here is not known.")
    }
    guard addresses.count == 1, Self.isRegistered(addresses[0], for: client) else {
      throw AuthorizationRefusal.page(
        code: "invalid_redirect_uri",
        text: "The app that sent you here asked for an answer at an address that is not its own.")
    }
    let address = addresses[0]
    let states = all("state")
    func refusal(_ code: String, _ text: String) -> AuthorizationRefusal {
      .redirect(code: code, text: text, to: address, state: states.count == 1 ? states[0] : nil)
    }
    func one(_ name: String) throws -> String? {
      let values = all(name)
      guard values.count <= 1 else { throw refusal("invalid_request", "The parameter \(name) occurs more than once") }
      return values.first
    }
    (self.client, redirectURI) = (client, address)
    state = try one("state")
    if !all("request").isEmpty { throw refusal("request_not_supported", "Request objects are not supported") }
    if !all("request_uri").isEmpty {
      throw refusal("request_uri_not_supported", "Request objects by reference are not supported")
    }
    if !all("registration").isEmpty { throw refusal("registration_not_supported", "Registration is not supported") }
    guard isPushed || !client.requiresPushedRequests else {
      throw refusal("invalid_request", "This client must push its requests")
    }
    guard let type = try one("response_type") else { throw refusal("invalid_request", "There is no response_type") }
    guard type == "code" else { throw refusal("unsupported_response_type", "The response type is not code") }
    guard ["query", nil].contains(try one("response_mode")) else {
      throw refusal("invalid_request", "The response mode is not query")
    }
    let asked = try one("scope")?.split(separator: " ").map(String.init) ?? []
    guard asked.contains("openid") else { throw refusal("invalid_scope", "The scope openid is missing") }
    var scopes: [String] = []
    for scope in asked where !scopes.contains(scope) {
      let isNativeSSO = scope == "device_sso" && client.isNativeSSOEnabled
      if client.scopes.contains(scope) || isNativeSSO { scopes.append(scope) }
    }
    self.scopes = scopes
    nonce = try one("nonce")
    challenge = try one("code_challenge")
    let method = try one("code_challenge_method")
    if let challenge {
      guard method == "S256", challenge.utf8.count == 43 else {
        throw refusal("invalid_request", "The code challenge is not one of the method S256")
      }
    } else if client.isPublic || method != nil {
      throw refusal("invalid_request", "A code challenge is required")
    }
    prompt = try one("prompt")?.split(separator: " ").map(String.init) ?? []
    guard !prompt.contains("none") || prompt.count == 1 else {
      throw refusal("invalid_request", "The prompt none stands alone")
    }
    if let text = try one("max_age") {
      guard let age = Int(text), age >= 0 else { throw refusal("invalid_request", "max_age is no number of seconds") }
      maximumAge = age
    } else {
      maximumAge = nil
    }
    loginHint = try one("login_hint")
    idTokenHint = try one("id_token_hint")
    contexts = try one("acr_values")?.split(separator: " ").map(String.init) ?? []
    guard let claims = ClaimsRequest(try one("claims")) else {
      throw refusal("invalid_request", "The parameter claims is not what it should be")
    }
    self.claims = claims
    keyThumbprint = try one("dpop_jkt")
  }

  /// What the user has to agree to.
  var consents: [String] { scopes + claims.names.map { "claim:" + $0 } }

  /// Octet by octet; of an installed app's loopback address the port may be another (RFC 8252 §7.3).
  private static func isRegistered(_ address: String, for client: Client) -> Bool {
    if client.redirectURIs.contains(where: { $0.utf8.elementsEqual(address.utf8) }) { return true }
    guard client.isPublic, let asked = withoutPort(address) else { return false }
    return client.redirectURIs.contains { withoutPort($0).map { $0.utf8.elementsEqual(asked.utf8) } ?? false }
  }

  /// A loopback address without its port; nil for any other.
  private static func withoutPort(_ address: String) -> String? {
    for start in ["http://127.0.0.1", "http://[::1]"] where address.hasPrefix(start) {
      var rest = address.dropFirst(start.count)
      if rest.first == ":" {
        let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard let port = UInt16(digits), port > 0 else { return nil }
        rest = rest.dropFirst(1 + digits.count)
      }
      guard rest.isEmpty || rest.first == "/" else { return nil }
      return start + rest
    }
    return nil
  }
}
