import PureCrypto
import JOSE
import StrictJSON

/// A request to a provider's authorization endpoint that may be answered at its client: everything has been checked
/// that can be without asking who is logged in.
///
/// ```swift
/// do {
///   let asked = try OAuthAuthorizationRequest(fields, of: client)
///   // Log the user in, ask for consent, keep a code; then:
///   return redirect(to: asked.answerURL(code: code, issuer: issuer))
/// } catch {
///   guard let url = error.answerURL(issuer: issuer) else { return errorPage(error.reason) }
///   return redirect(to: url)
/// }
/// ```
///
/// Source: RFC 6749 §3.1, §4.1; OpenID Connect Core 1.0 §3.1.2; RFC 7636 §4.3; RFC 8252 §7.3; RFC 8707 §2; RFC
/// 9126; RFC 9207; RFC 9449 §10; RFC 9700 §2.1.
public struct OAuthAuthorizationRequest: Sendable {
  /// Why there is no code, and where that is to be said.
  public struct Refusal: Error, Hashable {
    /// `error`: a registered code, such as `invalid_request`.
    public let code: String
    /// `error_description`: one sentence, with nothing in it that came with the request.
    public let reason: String
    fileprivate let redirectURI: String?
    fileprivate let state: String?

    /// One that is told to no client.
    static func unanswerable(_ code: String, _ reason: String) -> Refusal {
      Refusal(code: code, reason: reason, redirectURI: nil, state: nil)
    }

    /// Where to send the browser with the error; nil if it must not be sent anywhere, because it is unknown whose
    /// address that would be: show the error on a page of the provider's own.
    ///
    /// - Parameter issuer: `iss` (RFC 9207).
    public func answerURL(issuer: String) -> String? {
      redirectURI.map {
        OAuthAuthorizationRequest.answerURL(
          $0, ["error": code, "error_description": reason], state: state, issuer: issuer)
      }
    }
  }

  /// `client_id` of the client that asks.
  public let clientID: String
  /// Where the answer goes: registered, or a registered loopback address with another port.
  public let redirectURI: String
  /// `state`, which the answer repeats.
  public let state: String?
  /// The scopes that are asked for and that the client may have, each once.
  public let scopes: [String]
  /// `resource`: what the tokens are for, each once; empty if the client doesn't say.
  public let resources: [String]
  /// `nonce`, which the ID token repeats.
  public let nonce: String?
  /// `code_challenge`, of the method S256.
  public let codeChallenge: String?
  /// `prompt`: what is to be shown whether it needs be or not. `none` stands alone.
  public let prompts: [String]
  /// `max_age`: for how long a login is good enough.
  public let maximumAge: Duration?
  /// `login_hint`: who probably logs in.
  public let loginHint: String?
  /// `id_token_hint`: an ID token of the user who has to be logged in. Not checked.
  public let idTokenHint: String?
  /// `acr_values`: what kind of login is wished for, best first.
  public let contextClasses: [String]
  /// What the client is registered to need, whatever it asks for.
  let requiredContexts: [String]
  /// `claims`: claims that are asked for one by one, an object of objects.
  public let claims: JSONObject
  /// `dpop_jkt`: the thumbprint of the key that the code is bound to.
  public let keyThumbprint: String?

  /// Judges a request.
  ///
  /// - Parameters:
  ///   - fields: the query of a GET or the form of a POST, doubled names kept, or what was pushed.
  ///   - client: as it is registered under `client_id` of these fields; nil for none, or for one that is disabled.
  ///   - isPushed: whether the fields come from ``PushedAuthorizationEndpoint``.
  /// - Throws: ``Refusal``. At the client are reported only faults of requests whose client and redirect URI are right.
  public init(_ fields: FormFields, of client: RegisteredClient?, isPushed: Bool = false) throws(Refusal) {
    let parameters = Parameters(fields)
    guard let client, parameters.all("client_id").wireNames == [WireName(client.id)]
    else { throw Refusal(code: "invalid_client", reason: "The client is unknown", redirectURI: nil, state: nil) }
    let addresses = parameters.all("redirect_uri")
    guard addresses.count == 1, client.mayBeAnswered(at: addresses[0]) else {
      throw Refusal(
        code: "invalid_request", reason: "The redirect URI is not one of the client's", redirectURI: nil, state: nil)
    }
    let states = parameters.all("state")
    let faults = Faults(redirectURI: addresses[0], state: states.count == 1 ? states[0] : nil)
    (clientID, redirectURI) = (client.id, addresses[0])
    state = try parameters.one("state", faults)
    for (name, code) in Self.unsupported where !parameters.all(name).isEmpty {
      throw faults.refusal(code, "The parameter \(name) is not supported")
    }
    guard isPushed || !client.requiresPushedRequests else {
      throw faults.refusal("invalid_request", "The client must push its requests")
    }
    guard let type = try parameters.name("response_type", faults) else {
      throw faults.refusal("invalid_request", "There is no response_type")
    }
    guard type == "code" else {
      throw faults.refusal("unsupported_response_type", "The response type is not code")
    }
    guard try parameters.name("response_mode", faults) ?? "query" == "query" else {
      throw faults.refusal("invalid_request", "The response mode is not query")
    }
    let asked = try parameters.words("scope", faults)
    scopes = asked.filter(client.askableScopes.contains)
    guard !scopes.isEmpty else { throw faults.refusal("invalid_scope", "None of the scopes may be had") }
    resources = try Self.resources(parameters, client, faults)
    nonce = try parameters.one("nonce", faults)
    codeChallenge = try Self.codeChallenge(parameters, client, faults)
    prompts = try parameters.words("prompt", faults)
    guard !prompts.wireNames.contains("none") || prompts.count == 1 else {
      throw faults.refusal("invalid_request", "The prompt none stands alone")
    }
    maximumAge = try parameters.one("max_age", faults).map { text throws(Refusal) -> Duration in
      // "+5" is a number for Int, and not for OpenID Connect.
      guard text.utf8.allSatisfy(\.isASCIIDigit), let age = Int(text) else {
        throw faults.refusal("invalid_request", "max_age is not a number of seconds")
      }
      return .seconds(age)
    }
    loginHint = try parameters.one("login_hint", faults)
    idTokenHint = try parameters.one("id_token_hint", faults)
    contextClasses = try parameters.words("acr_values", faults)
    requiredContexts = client.requiredContexts
    claims = try Self.claims(parameters, faults)
    keyThumbprint = try parameters.one("dpop_jkt", faults)
    if let keyThumbprint, keyThumbprint.utf8.count != 43 || (try? Base64URL.decode(keyThumbprint))?.count != 32 {
      throw faults.refusal("invalid_request", "dpop_jkt is not a thumbprint")
    }
  }

  /// What a device asks for, as if a browser had brought it. Its user is asked each time, and nothing is redirected.
  init(of device: WaitingDevice, _ client: RegisteredClient) {
    (clientID, redirectURI, state) = (client.id, "", nil)
    (scopes, resources, keyThumbprint) = (device.scopes, device.resources, device.keyThumbprint?.text)
    (nonce, codeChallenge, prompts, maximumAge) = (nil, nil, ["consent"], nil)
    (loginHint, idTokenHint, contextClasses, claims) = (nil, nil, [], [:])
    requiredContexts = client.requiredContexts
  }

  /// The parameters of a request to the authorization endpoint, as the browser brought it: a GET with a query, or a
  /// POST of a form. Those without a value are left out, and so is what can't be decoded and is no parameter.
  ///
  /// - Throws: `ErrorCode.invalidRequest`: show a page, redirect nowhere.
  public static func parameters(of request: HTTPRequestValue) throws(OpenIDError) -> FormFields {
    try OAuthEndpoint.parameters(of: request, names)
  }

  /// The names that this type and a provider's authorization endpoint read.
  static let names: [WireName] = [
    "client_id", "redirect_uri", "state", "response_type", "response_mode", "scope", "resource", "nonce",
    "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint", "id_token_hint", "acr_values",
    "claims", "dpop_jkt", "request", "request_uri", "registration",
  ]

  /// Where to send the browser with a code.
  ///
  /// - Parameters:
  ///   - code: unguessable, for one use within a minute or so.
  ///   - issuer: `iss` (RFC 9207).
  public func answerURL(code: String, issuer: String) -> String {
    Self.answerURL(redirectURI, ["code": code], state: state, issuer: issuer)
  }

  /// A refusal for reasons outside the request: no user is logged in and `prompt` is `none`, the user doesn't
  /// agree.
  ///
  /// - Parameters:
  ///   - code: a registered one, such as `login_required`, `consent_required` or `access_denied`.
  ///   - reason: one sentence in ASCII, without quotation marks and backslashes (RFC 6749 §4.1.2.1).
  public func refusal(_ code: String, _ reason: String) -> Refusal {
    Refusal(code: code, reason: reason, redirectURI: redirectURI, state: state)
  }

  /// What this library leaves to others, and what a request with it is answered with (OpenID Connect Core 1.0
  /// §3.1.2.6).
  private static let unsupported = [
    ("request", "request_not_supported"), ("request_uri", "request_uri_not_supported"),
    ("registration", "registration_not_supported"),
  ]

  private static func codeChallenge(
    _ parameters: Parameters, _ client: RegisteredClient, _ faults: Faults
  ) throws(Refusal) -> String? {
    let method = try parameters.name("code_challenge_method", faults)
    guard let challenge = try parameters.one("code_challenge", faults) else {
      guard !client.isPublic, !client.requiresPKCE, method == nil else {
        throw faults.refusal("invalid_request", "A code challenge is required")
      }
      return nil
    }
    // Without a method it would be plain, which any observer of the request can answer.
    guard method == "S256", challenge.utf8.count == 43,
      (try? Base64URL.decode(challenge))?.count == 32
    else { throw faults.refusal("invalid_request", "The code challenge is not one of the method S256") }
    return challenge
  }

  /// Each is one that the client may ask for: access tokens for another audience than was asked for would be a surprise
  /// to everybody.
  private static func resources(
    _ parameters: Parameters, _ client: RegisteredClient, _ faults: Faults
  ) throws(Refusal) -> [String] {
    let resources = parameters.all("resource").distinct
    for resource in resources {
      guard client.mayAsk(forResource: resource) else {
        throw faults.refusal("invalid_target", "A resource is asked for that the client may not have")
      }
    }
    return resources
  }

  private static func claims(_ parameters: Parameters, _ faults: Faults) throws(Refusal) -> JSONObject {
    guard let text = try parameters.one("claims", faults) else { return [:] }
    let limits = JSONLimits(maximumByteCount: 8192, maximumDepth: 8, maximumMemberCount: 256)
    guard let claims = try? JSONObject(parsing: Array(text.utf8), limits: limits),
      ["userinfo", "id_token"].allSatisfy({ name in
        claims[name].map { $0.isNull || $0.objectValue != nil } ?? true
      })
    else { throw faults.refusal("invalid_request", "The parameter claims is not an object of objects") }
    return claims
  }

  /// The redirect URI keeps the query that it was registered with.
  fileprivate static func answerURL(
    _ redirectURI: String, _ answer: FormFields, state: String?, issuer: String
  ) -> String {
    var answer = answer
    if let state { answer.append("state", state) }
    answer.append("iss", issuer)
    return (try? URIComponents(parsing: redirectURI))?.appendingQuery(answer) ?? redirectURI
  }
}

/// Parameters; an empty one counts as absent (RFC 6749 §3.1).
private struct Parameters {
  private let fields: FormFields

  init(_ fields: FormFields) { self.fields = fields }

  func all(_ name: String) -> [String] { fields.values(name).filter { !$0.isEmpty } }

  func one(_ name: String, _ faults: Faults) throws(OAuthAuthorizationRequest.Refusal) -> String? {
    let values = all(name)
    guard values.count <= 1 else {
      throw faults.refusal("invalid_request", "The parameter \(name) occurs more than once")
    }
    return values.first
  }

  /// The same as a name, to be compared with others.
  func name(_ name: String, _ faults: Faults) throws(OAuthAuthorizationRequest.Refusal) -> WireName? {
    try one(name, faults).map { WireName($0) }
  }

  /// A list of words between spaces, each once, in their order.
  func words(_ name: String, _ faults: Faults) throws(OAuthAuthorizationRequest.Refusal) -> [String] {
    let words = try one(name, faults)?.words ?? []
    guard words.count <= 100 else { throw faults.refusal("invalid_request", "The parameter \(name) is too long") }
    return words.distinct
  }
}

/// Where faults are reported.
private struct Faults {
  let redirectURI: String
  let state: String?

  func refusal(_ code: String, _ reason: String) -> OAuthAuthorizationRequest.Refusal {
    OAuthAuthorizationRequest.Refusal(code: code, reason: reason, redirectURI: redirectURI, state: state)
  }
}

extension RegisteredClient {
  /// Whether tokens for a resource may be asked for: one of the client's, by an absolute address without fragment
  /// (RFC 8707 §2).
  func mayAsk(forResource resource: String) -> Bool {
    resources.contains(WireName(resource))
      && (try? URIComponents(parsing: resource)).map { $0.fragment == nil } ?? false
  }

  /// Whether an address is one of the client's, octet by octet. Of an installed app's loopback address, which listens
  /// where it can, the port may be another.
  fileprivate func mayBeAnswered(at address: String) -> Bool {
    guard let asked = try? URIComponents(parsing: address), asked.fragment == nil else { return false }
    if redirectURIs.contains(WireName(address)) { return true }
    guard isAnybody, let place = loopbackPlace(asked) else { return false }
    return redirectURIs.contains { registered in
      (try? URIComponents(parsing: registered)).flatMap(loopbackPlace) == place
    }
  }

  /// A loopback address by `http` without its port; nil for any other. `localhost` is a name, and may be anybody's
  /// (RFC 8252 §8.3).
  private func loopbackPlace(_ address: URIComponents) -> WireName? {
    let hosts: [WireName] = ["127.0.0.1", "[::1]"] + (allowsLocalhost ? ["localhost"] : [])
    guard WireName(address.scheme) == "http", address.userInfo == nil, let host = address.host, hosts.contains(host),
      address.port != 0
    else { return nil }
    return "\(host) \(address.path)\(address.query.map { "?" + $0 } ?? "")"
  }
}

extension OAuthAuthorizationRequest: Redacted {}

extension OAuthAuthorizationRequest.Refusal: Redacted {
  /// Code and reason. No state.
  public var description: String { "\(code): \(reason)" }
}
