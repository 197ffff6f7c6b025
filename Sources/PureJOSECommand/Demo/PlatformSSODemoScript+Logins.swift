import JOSE
import PlatformSSOKit

extension PlatformSSODemoScript {
  /// A login in each method that needs no browser.
  mutating func logins() async throws(CommandFailure) {
    let password = LoginMethod.password(PlatformSSODemoParties.password)
    try await logIn("password", by: password, parties.device)
    try await logIn("encrypted password", by: password, parties.encryptingDevice)
    try await logIn("Secure Enclave key", by: .userSecureEnclaveKey(parties.userKey), parties.device)
    try await logIn(
      "smart card", by: .smartCard(parties.cardKey, certificate: parties.cardCertificate), parties.device)
  }

  /// A login from the nonce to the opened response.
  mutating func logIn(
    _ name: String, by method: LoginMethod, _ device: PlatformSSODevice
  ) async throws(CommandFailure) {
    let nonces = try await nonces(device)
    let request = try await steps.step("login request, \(name)", byteCount: { $0.httpRequest.body.count }) {
      try device.loginRequest(of: PlatformSSODemoParties.user, by: method, nonces: nonces, groups: ["staff"])
    }
    try built(request, device)
    showAssertion(in: request)
    let provider = provider
    let login = try await steps.step("login request, checked", byteCount: { _ in request.httpRequest.body.count }) {
      try await provider.loginRequest(from: request.httpRequest)
    }
    try checked(login.request, request)
    try steps.check("\(login.userName) proved it by: \(name)", login.userName == "jane@example.com")
    try steps.check("asks for the groups staff", login.requestedGroups == ["staff"])
    try await exchangeTokens(to: request, device) { token throws(JOSEError) in
      let idToken = try provider.idToken(
        for: login, subject: "5b1f8c3e", additional: ["name": "Jane Example", "groups": ["staff"]])
      return try provider.loginResponse(to: login, .demo(idToken, token))
    }
  }

  /// Shows the assertion inside a login request, opened where it is encrypted.
  private func showAssertion(in request: DeviceRequest) {
    guard let token = try? UnverifiedJWS(parsing: request.assertion),
      let assertion = token.unverifiedClaims?["assertion"]?.stringValue
    else { return }
    steps.show("the assertion inside:")
    steps.show(token: assertion)
    if let opened = try? JWE.decrypt(assertion, with: parties.loginKey, contentEncryption: [.a256gcm]),
      let claims = try? JSONObject(parsing: opened.plaintext)
    {
      steps.show("encrypted for the provider", claims)
    }
  }

  /// A login by a browser: preauthentication, authorization request, callback, login.
  mutating func browser() async throws(CommandFailure) {
    let (device, provider) = (parties.browserDevice, provider)
    let asked = try await steps.step("preauthentication request", byteCount: { $0.url.utf8.count }) {
      try device.preauthenticationRequest(of: PlatformSSODemoParties.user)
    }
    show(asked)
    let answer = try await steps.step("preauthentication response", byteCount: { $0.body.count }) {
      let read = try provider.preauthenticationRequest(from: asked)
      return try provider.preauthenticationResponse(
        to: read,
        .webAuthorization(
          at: "https://idp.example.com/authorize",
          request: provider.authorizationParameters(clientID: "psso-client")))
    }
    show(answer)
    guard let endpoint = try attempt({ try device.preauthentication(from: answer) }) else {
      throw .invalid("a check failed: the user is federated")
    }
    try steps.check("the user logs in by a browser, at an address by https", endpoint.url.hasPrefix("https://"))

    let opened = try await steps.step("authorization request", byteCount: { $0.httpRequest.body.count }) {
      try device.webAuthorizationRequest(of: PlatformSSODemoParties.user, at: endpoint)
    }
    show(opened.httpRequest)
    steps.show(token: (try? opened.httpRequest.form())?.values("request").first ?? "")
    let authorization = try await steps.step(
      "authorization request, checked", byteCount: { _ in opened.httpRequest.body.count }
    ) {
      try await provider.authorizationRequest(from: opened.httpRequest)
    }
    try steps.check("signed by the registered device", authorization.device.id == "mac-1")
    try steps.check(
      "nonce and state belong together, are fresh and unused", authorization.parameters.state == opened.state)
    try steps.check("the scope says what it is for: login", authorization.authorizationScope == .login)

    let url = authorization.callbackURL(code: try await parties.code(for: authorization))
    let callback = try await steps.step("callback", byteCount: { _ in url.utf8.count }) {
      try AuthorizationCallback(url: url, answering: opened)
    }
    steps.show("browser → Mac  \(url)")
    try steps.check("the state is the request's", callback.state == opened.state)
    try steps.check(
      "a callback with another state is refused",
      (try? AuthorizationCallback(url: url + "x", answering: opened)) == nil)
    try await logIn("browser", by: .webAuthorization(callback), device)
  }
}
