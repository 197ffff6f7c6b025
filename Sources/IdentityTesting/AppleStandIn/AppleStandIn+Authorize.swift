import JOSE
import AppleSignInKit
import StrictJSON

extension AppleStandIn {
  /// Answers an authorization request that a browser brought by GET.
  ///
  /// Without a registered client and one of its own addresses, the browser stays here and sees a page. Other mistakes
  /// are JSON errors.
  public func authorize(_ url: String, decision: Decision) -> AppleStandInAnswer {
    let request: WireAuthorizationRequest
    do throws(JOSEError) {
      request = try WireAuthorizationRequest(url: url, clients: clients)
    } catch {
      return refuse(error)
    }
    switch decision {
    case .cancel:
      return answer(request, [("error", "user_cancelled_authorize")])
    case .approve(let user):
      return approve(request, user)
    }
  }

  /// A code for a native app, which has no redirect URI.
  public func nativeCode(clientID: String, user: AppleStandInUser, nonce: String?) -> String? {
    client(clientID).map { issueCode($0, redirectURI: nil, nonce: nonce, user: user) }
  }

  private func approve(_ request: WireAuthorizationRequest, _ user: AppleStandInUser) -> AppleStandInAnswer {
    let consentKey = request.client.consentKey(user)
    let isFirst = consents[consentKey] == nil
    if isFirst { consents[consentKey] = Consent(scopes: request.scopes, sharesRelayAddress: user.hidesEmail) }
    let code = issueCode(
      request.client, redirectURI: request.redirectURI, nonce: request.nonce, user: user)
    var parameters = [("code", code)]
    if request.responseType == .codeAndIdentityToken {
      guard
        let token = identityToken(user, request.client, nonce: request.nonce, code: code)
      else { return AppleStandInAnswer(response: Self.refusal("server_error"), callback: nil) }
      parameters.append(("id_token", token))
    }
    if isFirst, !request.scopes.isEmpty {
      parameters.append(("user", userText(user, request.client, request.scopes)))
    }
    return answer(request, parameters)
  }

  private func userText(_ user: AppleStandInUser, _ client: AppleStandInClient, _ scopes: Set<AppleScope>) -> String {
    var object = JSONObject()
    if scopes.contains(.name) {
      object["name"] = ["firstName": .string(user.givenName), "lastName": .string(user.familyName)]
    }
    if scopes.contains(.email) {
      object["email"] = .string(user.sharedAddress(teamID: client.teamID, isRelay: user.hidesEmail))
    }
    return String(decoding: object.serialized(), as: UTF8.self)
  }

  private func issueCode(
    _ client: AppleStandInClient, redirectURI: AppleRedirectURI?, nonce: String?, user: AppleStandInUser
  ) -> String {
    let now = clock.now
    // Used codes are kept for a while, to be told from unknown ones; then they make room.
    codes = codes.filter { now.secondsSince1970 - $0.value.issuedAt.secondsSince1970 < 2 * Self.codeLifetime }
    let code = "c" + random.token()
    codes[Array(code.utf8)] = IssuedCode(
      client: client, redirectURI: redirectURI, nonce: nonce, user: user, issuedAt: now)
    return code
  }

  /// Seconds that a code is good for.
  static var codeLifetime: Double { 300 }

  private func refuse(_ error: JOSEError) -> AppleStandInAnswer {
    if WireAuthorizationRequest.isBeforeRedirect(error) {
      return AppleStandInAnswer(response: StandInPage.error, callback: nil)
    }
    let name =
      switch error.code {
      case .scopeUnsupported: "invalid_scope"
      case .responseTypeUnsupported, .responseTypeUnsupported: "unsupported_response_type"
      default: "invalid_request"
      }
    return AppleStandInAnswer(response: Self.refusal(name), callback: nil)
  }

  /// Sends parameters back to the website by way of the browser.
  private func answer(_ request: WireAuthorizationRequest, _ parameters: [(String, String)]) -> AppleStandInAnswer {
    var parameters = parameters
    if let state = request.state { parameters.insert(("state", state), at: 0) }
    let uri = request.redirectURI
    switch request.responseMode {
    case .query:
      let url = uri.text + (uri.hasQuery ? "&" : "?") + URLQuery.encode(parameters)
      return AppleStandInAnswer(
        response: StandInPage.redirect(to: url), callback: HTTPRequestValue(method: "GET", url: url))
    case .fragment:
      return AppleStandInAnswer(
        response: StandInPage.redirect(to: uri.text + "#" + URLQuery.encode(parameters)),
        callback: FormBody.post(parameters, to: uri.text))
    case .formPost:
      return AppleStandInAnswer(
        response: StandInPage.posting(parameters, to: uri.text), callback: FormBody.post(parameters, to: uri.text))
    }
  }
}
