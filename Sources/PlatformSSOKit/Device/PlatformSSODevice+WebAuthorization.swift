import JOSE
import StrictJSON

/// A request to be opened in a browser, for web-based authentication (macOS 27). Check what comes back with
/// ``AuthorizationCallback/init(url:answering:)``.
public struct WebAuthorizationRequest: Sendable {
  /// What the browser opens: a GET, or the POST of a signed request.
  public let httpRequest: HTTPRequestValue

  /// `state`, which the callback must have: the address's, or by default a fresh one.
  public let state: String?
}

extension PlatformSSODevice {
  /// Lets a user log in by a browser.
  ///
  /// If the provider named parameters, the device posts them signed, and repeats `state`, `nonce`, `login_hint`,
  /// `redirect_uri` and `scope` in the address's query, as Apple's sample does. Else `redirect_uri`, `login_hint`,
  /// `scope` and, where it has none, `state` are put into the query of an address that the browser just opens. The
  /// scope that the address has is kept either way.
  ///
  /// Source: Apple, Implementing web-based authentication with Platform Single Sign-on.
  /// - Parameters:
  ///   - user: sent as `login_hint`, unless the name is empty.
  ///   - endpoint: from the preauthentication response; if nil, ``LoginConfiguration/authorizationURL``.
  ///   - scope: what the login is for.
  /// - Throws: `ErrorCode.callerMisuse` if there is no address or the signing key answers later,
  ///   `ErrorCode.claimInvalid` if two authorization scopes would stand in the request,
  ///   `ErrorCode.externalKeyFailed`.
  public func webAuthorizationRequest(
    of user: UserLoginConfiguration, at endpoint: WebAuthorizationEndpoint? = nil, scope: AuthorizationScope = .login
  ) throws(JOSEError) -> WebAuthorizationRequest {
    guard let endpoint, let parameters = try signedParameters(endpoint) else {
      return try openedRequest(of: user, at: endpoint?.url, scope: scope)
    }
    guard let signingKey = keys.signingKey else {
      throw JOSEError(
        .callerMisuse, "the signing key answers later: prepare the request and finish it", name: "keys")
    }
    let (claims, header) = try authorizationParts(parameters, at: endpoint.url, scope: scope)
    let token = try JWS.sign(
      MessageText.octets(claims, isIndented: configuration.indentsJSON), with: signingKey, header: header)
    let url = try authorizationURL(endpoint.url, claims: claims, user: user)
    return Self.posted(token, to: url, state: parameters.state)
  }

  /// As ``webAuthorizationRequest(of:at:scope:)`` where the provider named parameters, for a device key that answers
  /// later.
  ///
  /// - Throws: `ErrorCode.callerMisuse` if the endpoint has no parameters, `ErrorCode.claimInvalid` if two
  ///   authorization scopes would stand in the request.
  public func prepareWebAuthorizationRequest(
    of user: UserLoginConfiguration? = nil, at endpoint: WebAuthorizationEndpoint, scope: AuthorizationScope = .login
  ) throws(JOSEError) -> PreparedMessage<WebAuthorizationRequest> {
    guard let parameters = try signedParameters(endpoint) else {
      throw JOSEError(.callerMisuse, "a request without parameters is not signed", name: "endpoint")
    }
    let (claims, header) = try authorizationParts(parameters, at: endpoint.url, scope: scope)
    let jws = try JWS.prepare(
      MessageText.octets(claims, isIndented: configuration.indentsJSON), for: keys.signingVerificationKey,
      header: header)
    let url = try authorizationURL(endpoint.url, claims: claims, user: user)
    return PreparedMessage(jws) { Self.posted($0, to: url, state: parameters.state) }
  }

  private func authorizationParts(
    _ parameters: AuthorizationParameters, at url: String, scope: AuthorizationScope
  ) throws(JOSEError) -> (JSONObject, HeaderParameters) {
    var parameters = parameters
    parameters.redirectURI = configuration.authorizationRedirectURI
    // The address repeats what is signed, and would lose the scope of its own.
    let own = try Self.query(url).fields.values("scope").first ?? ""
    parameters.scope = try authorizationScopes("\(parameters.scope) \(own)", scope)
    // In this message Apple's sample has an array, as RFC 7515 does.
    let header = try CustomClaims().headerParameters(
      type: .authorizationRequest, keyID: keys.signingKeyID.text, certificate: keys.signingCertificate, isArray: true,
      isIndented: configuration.indentsJSON)
    return (parameters.jsonObject, header)
  }

  /// What the device signs: what the provider named, or by choice what the address's own query has, for servers that
  /// name nothing and want a signed request all the same.
  private func signedParameters(
    _ endpoint: WebAuthorizationEndpoint
  ) throws(JOSEError) -> AuthorizationParameters? {
    if let parameters = endpoint.parameters { return parameters }
    guard configuration.signsEveryAuthorizationRequest else { return nil }
    let given = try Self.query(endpoint.url).fields
    func value(_ name: String) -> String? { given.values(name).first { !$0.isEmpty } }
    return AuthorizationParameters(
      clientID: value("client_id") ?? configuration.clientID, nonce: value("nonce") ?? UUIDText.random(),
      redirectURI: configuration.authorizationRedirectURI, scope: value("scope") ?? "",
      state: value("state") ?? UUIDText.random())
  }

  /// The address with the request's members in its query, behind what it has of its own.
  private func authorizationURL(
    _ url: String, claims: JSONObject, user: UserLoginConfiguration?
  ) throws(JOSEError) -> String {
    let (address, given) = try Self.query(url)
    var added: [(String, String)] = []
    let names: [WireName] = ["state", "nonce", "login_hint", "redirect_uri", "scope"]
    for name in names {
      if let value = name == "login_hint" ? Self.loginHint(user) : claims[name.text]?.stringValue {
        added.append((name.text, value))
      }
    }
    let replaced = added.map { WireName($0.0) }
    let kept = given.fields.filter { !replaced.contains($0.name) }.map { ($0.name, $0.value) }
    return "\(address)?\(FormFields(kept + added).encodedAsQuery())"
  }

  /// The user's name, if it is known.
  private static func loginHint(_ user: UserLoginConfiguration?) -> String? {
    user.flatMap { $0.loginUserName.isEmpty ? nil : $0.loginUserName }
  }

  /// An address before its query, and the query.
  private static func query(_ url: String) throws(JOSEError) -> (address: String, fields: FormFields) {
    guard let uri = try? URIComponents(parsing: url), uri.fragment == nil,
      let fields = try? FormFields(decoding: (uri.query ?? "").utf8)
    else {
      throw JOSEError(
        .callerMisuse, "there is no authorization URL with a query of single fields", name: "authorizationURL")
    }
    return (String(Substring(url.utf8.prefix { $0 != 0x3F })), fields)
  }

  fileprivate static func posted(_ token: String, to url: String, state: String) -> WebAuthorizationRequest {
    var fields = FormFields()
    fields.append("request", token)
    return WebAuthorizationRequest(
      httpRequest: .post(fields, to: url, headers: HTTPHeaderFields(known: [("client-request-id", UUIDText.random())])),
      state: state)
  }

  /// A GET of the address, with what the device knows in its query.
  private func openedRequest(
    of user: UserLoginConfiguration, at dynamicURL: String?, scope: AuthorizationScope
  ) throws(JOSEError) -> WebAuthorizationRequest {
    let (address, given) = try Self.query(dynamicURL ?? configuration.authorizationURL ?? "")
    // An empty state is no secret of this request's, and so none at all.
    var state = given.values("state").first { !$0.isEmpty }
    let hint = Self.loginHint(user)
    var replaced: [WireName] = ["redirect_uri", "scope"]
    if hint != nil { replaced.append("login_hint") }
    if state == nil { replaced.append("state") }
    var fields = FormFields(
      given.fields.filter { !replaced.contains($0.name) }.map { ($0.name, $0.value) })
    if state == nil, configuration.addsAuthorizationState {
      let fresh = UUIDText.random()
      fields.append("state", fresh)
      state = fresh
    }
    fields.append("redirect_uri", configuration.authorizationRedirectURI)
    if let hint { fields.append("login_hint", hint) }
    fields.append("scope", try authorizationScopes(given.values("scope").first ?? "", scope))
    return WebAuthorizationRequest(
      httpRequest: HTTPRequestValue(method: "GET", url: "\(address)?\(fields.encodedAsQuery())"), state: state)
  }

  /// The scopes given, the configured ones, and what the login is for, each once.
  private func authorizationScopes(
    _ given: String, _ scope: AuthorizationScope
  ) throws(JOSEError) -> String {
    let wanted = "\(given) \(configuration.scope(nil)) \(configuration.additionalAuthorizationScopes ?? "") \(scope)"
    let joined = wanted.words.distinct.joined(separator: " ")
    _ = try AuthorizationScope(in: joined)
    return joined
  }
}
