import JOSE
import PlatformSSOKit

extension PlatformSSODemoScript {
  /// A login in each method that needs no browser.
  mutating func logins() async throws(CommandFailure) {
    let password = LoginMethod.password(PlatformSSODemoParties.password)
    let card = LoginMethod.smartCard(parties.cardKey, certificate: parties.cardCertificate)
    for (name, method, device) in [
      ("password", password, parties.device), ("encrypted password", password, parties.encryptingDevice),
      ("Secure Enclave key", .userSecureEnclaveKey(parties.userKey), parties.device),
      ("smart card", card, parties.device),
    ] {
      steps.exchange("login, \(name)")
      try await logIn(name, by: method, device)
    }
  }

  /// A login from the nonce to the opened response.
  mutating func logIn(
    _ name: String, by method: LoginMethod, _ device: PlatformSSODevice
  ) async throws(CommandFailure) {
    let nonces = try await nonces(device)
    let request = try await steps.step(
      "login request, \(name)", of: "login request", byteCount: { $0.httpRequest.body.count }
    ) {
      try device.loginRequest(of: PlatformSSODemoParties.user, by: method, nonces: nonces, groups: ["staff"])
    }
    try built(request, device)
    showAssertion(in: request)
    let provider = provider
    let login = try await steps.step(
      "login request, checked", of: "login request", isReceived: true,
      byteCount: { _ in request.httpRequest.body.count }
    ) {
      try await provider.loginRequest(from: request.httpRequest)
    }
    try checked(login.request, request)
    try steps.check("\(login.userName) proved it by: \(name)", as: "user", login.userName == "jane@example.com")
    try steps.check("asks for the groups staff", as: "groups", login.requestedGroups == ["staff"])
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
    steps.exchange("login, browser")
    let asked = try await steps.step(
      "preauthentication request", of: "preauthentication", byteCount: { $0.url.utf8.count }
    ) {
      try device.preauthenticationRequest(of: PlatformSSODemoParties.user)
    }
    show(asked)
    let answer = try await steps.step(
      "preauthentication response", of: "preauthentication", byteCount: { $0.body.count }
    ) {
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
    try steps.check(
      "the user logs in by a browser, at an address by https", as: "https", endpoint.url.hasPrefix("https://"))

    let opened = try await steps.step(
      "authorization request", of: "authorization request", byteCount: { $0.httpRequest.body.count }
    ) {
      try device.webAuthorizationRequest(of: PlatformSSODemoParties.user, at: endpoint)
    }
    show(opened.httpRequest)
    steps.show(token: (try? opened.httpRequest.form())?.values("request").first ?? "")
    let authorization = try await steps.step(
      "authorization request, checked", of: "authorization request", isReceived: true,
      byteCount: { _ in opened.httpRequest.body.count }
    ) {
      try await provider.authorizationRequest(from: opened.httpRequest)
    }
    try steps.check("signed by the registered device", as: "signature", authorization.device.id == "mac-1")
    try steps.check(
      "nonce and state belong together, are fresh and unused", as: "nonce, state",
      authorization.parameters.state == opened.state)
    try steps.check("the scope says what it is for: login", as: "scope", authorization.authorizationScope == .login)

    let url = authorization.callbackURL(code: try await parties.code(for: authorization))
    let callback = try await steps.step("callback", of: "callback", byteCount: { _ in url.utf8.count }) {
      try AuthorizationCallback(url: url, answering: opened)
    }
    steps.show("browser → Mac  \(url)")
    try steps.check("the state is the request's", as: "state", callback.state == opened.state)
    try steps.check(
      "a callback with another state is refused",
      (try? AuthorizationCallback(url: url + "x", answering: opened)) == nil)
    try await logIn("browser", by: .webAuthorization(callback), device)
  }
}
