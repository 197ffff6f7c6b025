import JOSE
@testable import PlatformSSOKit
import PureCrypto
import Testing

@Suite("Preauthentication and web-based authentication")
struct WebAuthorizationTests {
  static let user = LoginRequestTests.user
  private static let preauthenticationURL = "https://idp.example.com/discovery?tenant=t"
  private static let loginURL = "https://idp.example.com/authorize"

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  /// The error of an expression, or nil.
  private func error(_ body: () async throws -> Void) async -> JOSEError? {
    do {
      try await body()
      return nil
    } catch { return error as? JOSEError }
  }

  private func fixture() throws -> Fixture {
    var fixture = try Fixture()
    fixture.device.configuration.federationUserPreauthenticationURL = Self.preauthenticationURL
    fixture.device.configuration.isFederated = { $0["account_type"] == "Federated" }
    return fixture
  }

  private func response(_ body: JSONObject, status: Int = 200) -> HTTPResponseValue {
    HTTPResponseValue(status: status, body: body.serialized())
  }

  private func parts(_ token: String) throws -> (header: JSONObject, claims: JSONObject) {
    let token = try UnverifiedJWS(parsing: token)
    return (token.unverifiedHeader.parameters, try JSONObject(parsing: token.unverifiedPayload))
  }

  @Test("The whole way: preauthentication, signed request, callback, login, response")
  func roundTrip() async throws {
    let fixture = try fixture()
    let (device, provider) = (fixture.device, fixture.provider)
    let asked = try device.preauthenticationRequest(of: Self.user)
    let read = try provider.preauthenticationRequest(from: asked)
    #expect(read.userName == Fixture.user && [read.clientRequestID] == asked.headers.values("client-request-id"))
    #expect(read.queryItems.values("tenant") == ["t"])
    let parameters = provider.authorizationParameters(clientID: "psso-client")
    let answer = try provider.preauthenticationResponse(
      to: read, .webAuthorization(at: Self.loginURL, request: parameters))
    guard let endpoint = try device.preauthentication(from: answer) else {
      Issue.record("not federated")
      return
    }
    #expect(endpoint.url == Self.loginURL && endpoint.parameters == parameters)

    let opened = try device.webAuthorizationRequest(of: Self.user, at: endpoint)
    #expect(try provider.kind(of: opened.httpRequest) == .authorization)
    let checked = try await provider.authorizationRequest(from: opened.httpRequest)
    #expect(checked.device.id == "mac-1" && checked.authorizationScope == .login)
    let callback = try AuthorizationCallback(url: checked.callbackURL(code: "c1"), answering: opened)
    let isKept = try await provider.logins.keepAuthorizationCode(
      "c1", of: Fixture.user, on: checked.device, state: parameters.state, scope: .login,
      expiration: Fixture.now.advanced(by: 300))
    #expect(isKept)

    let request = try device.loginRequest(of: Self.user, by: .webAuthorization(callback), nonces: fixture.nonces())
    let claims = try parts(request.assertion).claims
    #expect(claims["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
    #expect(claims["subject_token"] == .string(callback.url))
    #expect(claims["subject_token_type"] == "urn:apple:platformsso:authorization-code-response")
    #expect(
      claims["scope"] == "openid offline_access urn:apple:platformsso urn:apple:platformsso:auth:login")
    let login = try await provider.loginRequest(from: request.httpRequest)
    guard case .webAuthorization(let received) = login.credential else {
      Issue.record("another credential")
      return
    }
    #expect(received.code == "c1" && received.state == parameters.state && login.authorizationScope == .login)
    let answered = try provider.loginResponse(
      to: login,
      LoginResponse(
        idToken: provider.idToken(for: login, subject: "jane"), refreshToken: "r", refreshTokenExpiresIn: .seconds(1)))
    let tokens = try device.openLoginResponse(answered, to: request, idTokenKeys: fixture.idTokenKeys)
    #expect(tokens.uniqueIdentifier == "jane")
    // The code was good for one login, and the nonce for one request.
    let again = try device.loginRequest(of: Self.user, by: .webAuthorization(callback), nonces: fixture.nonces())
    #expect(
      await error { _ = try await provider.loginRequest(from: again.httpRequest) }
        == named(.authorizationCodeRejected, "subject_token"))
    #expect(
      await error { _ = try await provider.authorizationRequest(from: opened.httpRequest) }
        == named(.serverNonceReplayed, "request_nonce"))
  }

  @Test("The signed request goes to an address with state, nonce, login_hint, redirect_uri and scope in its query")
  func authorizationAddress() async throws {
    let fixture = try fixture()
    let parameters = fixture.provider.authorizationParameters(clientID: "psso-client")
    for (url, start) in [
      (Self.loginURL, Self.loginURL + "?state=" + parameters.state),
      (Self.loginURL + "?tenant=a%20b", Self.loginURL + "?tenant=a%20b&state=" + parameters.state),
      (Self.loginURL + "?state=old&login_hint=x", Self.loginURL + "?state=" + parameters.state),
    ] {
      let request = try fixture.device.webAuthorizationRequest(
        of: Self.user, at: WebAuthorizationEndpoint(url: url, parameters: parameters))
      #expect(request.httpRequest.method == "POST" && request.httpRequest.url.hasPrefix(start))
      #expect(
        request.httpRequest.url.hasSuffix(
          "&nonce=\(parameters.nonce)&login_hint=jane%40example.com&redirect_uri=com.apple.platformsso%3A%2F%2Fcallback"
            + "&scope=openid%20offline_access%20urn%3Aapple%3Aplatformsso%20urn%3Aapple%3Aplatformsso%3Aauth%3Alogin"))
    }
    let endpoint = WebAuthorizationEndpoint(url: Self.loginURL, parameters: parameters)
    let request = try fixture.device.webAuthorizationRequest(of: Self.user, at: endpoint)
    let prepared = try fixture.device.prepareWebAuthorizationRequest(of: Self.user, at: endpoint)
    let finished = try prepared.finish(
      signature: VectorKeys.signing("device-signing").signature(for: prepared.signingInput))
    #expect(finished.httpRequest.url == request.httpRequest.url)
    // What the address says of what is signed must be what is signed.
    func fresh() throws -> HTTPRequestValue {
      try fixture.device.webAuthorizationRequest(
        of: Self.user,
        at: WebAuthorizationEndpoint(
          url: Self.loginURL, parameters: fixture.provider.authorizationParameters(clientID: "psso-client"))
      ).httpRequest
    }
    for (old, new) in [("state=", "state=x"), ("nonce=", "nonce=x")] {
      var changed = try fresh()
      changed.url = changed.url.replacing(old, with: new)
      let refused = changed
      #expect(
        await error { _ = try await fixture.provider.authorizationRequest(from: refused) }
          == named(.claimMismatch, String(old.dropLast())))
    }
    var twice = try fresh()
    twice.url += "&login_hint=john"
    let refused = twice
    #expect(
      await error { _ = try await fixture.provider.authorizationRequest(from: refused) }
        == named(.fieldDuplicated, "login_hint"))
    let checked = try await fixture.provider.authorizationRequest(from: request.httpRequest)
    #expect(checked.loginHint == Fixture.user)
  }

  @Test("A device that knows no user's name keeps what the address says of one")
  func unknownUser() async throws {
    let fixture = try fixture()
    let nobody = UserLoginConfiguration(loginUserName: "")
    let rows: [(query: String, hints: [String])] = [("", []), ("?login_hint=joe", ["joe"])]
    for (query, hints) in rows {
      let parameters = fixture.provider.authorizationParameters(clientID: "psso-client")
      for given in [AuthorizationParameters?.some(parameters), nil] {
        let request = try fixture.device.webAuthorizationRequest(
          of: nobody, at: WebAuthorizationEndpoint(url: Self.loginURL + query, parameters: given)
        ).httpRequest
        let items = try FormFields(decoding: Array(request.url.split(separator: "?")[1].utf8))
        #expect(items.values("login_hint") == hints)
        guard given != nil else { continue }
        #expect(try await fixture.provider.authorizationRequest(from: request).loginHint == hints.first)
      }
    }
  }

  @Test("The scope of an authorization address is kept, each item once, in the address and in what is signed")
  func scopeOfAddress() async throws {
    let fixture = try fixture()
    let parameters = fixture.provider.authorizationParameters(clientID: "psso-client", scope: "openid profile")
    let endpoint = WebAuthorizationEndpoint(
      url: Self.loginURL + "?tenant=t&scope=email%20openid%20groups", parameters: parameters)
    let expected =
      "openid profile email groups offline_access urn:apple:platformsso urn:apple:platformsso:auth:login"
    let request = try fixture.device.webAuthorizationRequest(of: Self.user, at: endpoint)
    let query = try FormFields(decoding: Array(request.httpRequest.url.split(separator: "?")[1].utf8))
    #expect(query.values("scope") == [expected] && query.values("tenant") == ["t"])
    let checked = try await fixture.provider.authorizationRequest(from: request.httpRequest)
    #expect(checked.parameters.scope == expected && checked.authorizationScope == .login)
    let prepared = try fixture.device.prepareWebAuthorizationRequest(of: Self.user, at: endpoint)
    let finished = try prepared.finish(
      signature: VectorKeys.signing("device-signing").signature(for: prepared.signingInput))
    #expect(finished.httpRequest.url == request.httpRequest.url)
    // What the address is for must not differ from what this request is for.
    let other = WebAuthorizationEndpoint(
      url: Self.loginURL + "?scope=urn:apple:platformsso:auth:unlock", parameters: parameters)
    #expect(throws: named(.claimInvalid, "scope")) {
      try fixture.device.webAuthorizationRequest(of: Self.user, at: other)
    }
  }

  @Test("A signed request may be made of the address alone, with a redirect address of another spelling, by choice")
  func unnamedParameters() async throws {
    var fixture = try fixture()
    fixture.device.configuration.signsEveryAuthorizationRequest = true
    fixture.device.configuration.authorizationRedirectURI = "com.apple.PlatformSSO://callback"
    let parameters = fixture.provider.authorizationParameters(clientID: "psso-client")
    let url = "\(Self.loginURL)?state=\(parameters.state)&nonce=\(parameters.nonce)"
    let request = try fixture.device.webAuthorizationRequest(
      of: Self.user, at: WebAuthorizationEndpoint(url: url, parameters: nil))
    #expect(request.state == parameters.state)
    let checked = try await fixture.provider.authorizationRequest(from: request.httpRequest)
    #expect(checked.parameters.redirectURI == "com.apple.PlatformSSO://callback")
    // The browser goes back to where the device waits, letter for letter.
    #expect(checked.callbackURL(code: "c").hasPrefix("com.apple.PlatformSSO://callback?code=c&state="))
    #expect(checked.parameters.clientID == "psso-client")
  }

  @Test("login_hint names the user of a preauthentication request as user does, and both must agree")
  func preauthenticationHint() async throws {
    let fixture = try fixture()
    func user(_ query: String) throws -> String {
      try fixture.provider.preauthenticationRequest(
        from: HTTPRequestValue(
          method: "GET", url: "/discovery?" + query, headers: HTTPHeaderFields([("client-request-id", "x")]))
      ).userName
    }
    #expect(try user("login_hint=jane") == "jane")
    #expect(try user("user=jane&login_hint=jane") == "jane")
    #expect(throws: named(.fieldDuplicated, "user")) { try user("user=jane&login_hint=john") }
    #expect(throws: named(.fieldDuplicated, "user")) { try user("user=jane&user=jane") }
  }

  @Test("The preauthentication request is that of Apple's article")
  func preauthenticationRequest() throws {
    var fixture = try fixture()
    fixture.device.configuration.federationUserPreauthenticationURL = "https://idp.example.com/discovery"
    fixture.device.configuration.customFederationUserPreauthenticationRequestValues = ["api": "2 0"]
    let request = try fixture.device.preauthenticationRequest(of: Self.user)
    #expect(request.method == "GET" && request.body.isEmpty)
    #expect(request.url == "https://idp.example.com/discovery?user=jane%40example.com&api=2%200")
    #expect(request.headers.values("Accept") == ["application/json"])
    #expect(request.headers.values("client-request-id").count == 1)
    fixture.device.configuration.federationUserPreauthenticationURL = nil
    #expect(throws: named(.callerMisuse, "federationUserPreauthenticationURL")) {
      try fixture.device.preauthenticationRequest(of: Self.user)
    }
  }

  @Test("What the device makes of a preauthentication response")
  func preauthenticationResponses() async throws {
    let fixture = try fixture()
    let parameters: JSONObject = [
      "client_id": "psso-client", "nonce": "n", "redirect_uri": "com.apple.platformsso://callback",
      "response_type": "code", "scope": "openid", "state": "s",
    ]
    let sample: JSONObject = [
      "account_type": "Federated", "federation_protocol": "OIDC", "authorizationURL": .string(Self.loginURL),
      "authorizationRequest": .object(parameters),
    ]
    func refusal(status: Int = 200, _ change: (inout JSONObject) -> Void = { _ in }) async -> JOSEError? {
      var body = sample
      change(&body)
      let changed = body
      return await error { _ = try fixture.device.preauthentication(from: response(changed, status: status)) }
    }
    func parameter(_ name: String, _ value: JSONValue?) async -> JOSEError? {
      var changed = parameters
      changed[name] = value
      return await refusal { $0["authorizationRequest"] = .object(changed) }
    }
    #expect(await refusal() == nil)
    for status in [201, 302, 400, 401, 500] { #expect(await refusal(status: status) == named(.serverUnavailable)) }
    #expect(await refusal { $0["authorizationURL"] = nil } == named(.claimMissing, "authorizationURL"))
    for url: JSONValue in [
      1, "", "/authorize", "http://idp.example.com/authorize", "https://", "https://a@idp.example.com/",
      "https://idp.example.com/#x", "javascript:alert(1)", "https://idp.example.com/ x",
    ] {
      #expect(await refusal { $0["authorizationURL"] = url } == named(.claimInvalid, "authorizationURL"))
    }
    #expect(await refusal { $0["authorizationRequest"] = "x" } == named(.claimInvalid, "authorizationRequest"))
    for name in parameters.names { #expect(await parameter(name, nil) == named(.claimMissing, name)) }
    for name in parameters.names { #expect(await parameter(name, 5) == named(.claimInvalid, name)) }
    for name in ["client_id", "nonce", "state"] { #expect(await parameter(name, "") == named(.claimInvalid, name)) }
    #expect(await parameter("response_type", "token") == named(.claimMismatch, "response_type"))
    #expect(await parameter("redirect_uri", "com.apple.PlatformSSO://callback") == nil)
    for uri: JSONValue in [
      "https://evil.example/callback", "com.apple.platformsso://callback.evil", "com.apple.platformsso://x@callback",
      "com.apple.platformsso:callback", "com.apple.platformsso://callback?x=1", "com.apple.platformsso://callback#",
    ] {
      #expect(await parameter("redirect_uri", uri) == named(.claimMismatch, "redirect_uri"))
    }
    #expect(try fixture.device.preauthentication(from: response(["account_type": "Managed"])) == nil)
    var undecided = fixture
    undecided.device.configuration.isFederated = nil
    #expect(throws: named(.callerMisuse, "isFederated")) {
      try undecided.device.preauthentication(from: response(sample))
    }
    var elsewhere = fixture
    elsewhere.device.configuration.authorizationURLKeypath = "login.url"
    guard
      let endpoint = try elsewhere.device.preauthentication(
        from: response(["account_type": "Federated", "login": ["url": .string(Self.loginURL)]]))
    else {
      Issue.record("not federated")
      return
    }
    #expect(endpoint.url == Self.loginURL && endpoint.parameters == nil)
  }

  @Test("What the provider refuses of a preauthentication request")
  func preauthenticationRefusals() async throws {
    let fixture = try fixture()
    let request = try fixture.device.preauthenticationRequest(of: Self.user)
    func refusal(_ change: (inout HTTPRequestValue) throws -> Void) async -> JOSEError? {
      await error {
        var changed = request
        try change(&changed)
        _ = try fixture.provider.preauthenticationRequest(from: changed)
      }
    }
    #expect(await refusal { _ in } == nil)
    // As a server sees it.
    #expect(await refusal { $0.url = "/discovery?user=jane" } == nil)
    #expect(await refusal { $0.method = "POST" } == named(.methodNotAllowed))
    #expect(await refusal { $0.url = "/discovery" } == named(.fieldMissing, "user"))
    #expect(await refusal { $0.url = "/discovery?user=" } == named(.fieldMissing, "user"))
    #expect(await refusal { $0.url = "/discovery?user=a&user=b" } == named(.fieldDuplicated, "user"))
    #expect(await refusal { $0.url = "/discovery?user" } == named(.malformed, "url"))
    #expect(await refusal { $0.url = "/discovery?user=%FF" } == named(.malformed, "url"))
    let long = String(repeating: "a", count: 8200)
    #expect(await refusal { $0.url = "/?user=" + long } == named(.limitExceeded, "url"))
    #expect(
      await refusal { $0.headers.remove("client-request-id") } == named(.fieldMissing, "client-request-id"))
    let read = try fixture.provider.preauthenticationRequest(from: request)
    var answer = PreauthenticationAnswer.managed
    answer.additional = ["account_type": "x"]
    #expect(throws: named(.callerMisuse, "account_type")) {
      try fixture.provider.preauthenticationResponse(to: read, answer)
    }
  }

  @Test("The signed authorization request has the members of Apple's sample, and x5c is an array")
  func signedRequest() throws {
    var fixture = try fixture()
    fixture.device.keys.signingCertificate = [0x30, 0x03, 0x02, 0x01, 0x01]
    fixture.device.configuration.additionalAuthorizationScopes = "groups openid"
    let parameters = AuthorizationParameters(
      clientID: "c", nonce: "n", redirectURI: "com.apple.PlatformSSO://callback", scope: "openid profile", state: "s")
    let endpoint = try endpoint(parameters, fixture)
    let request = try fixture.device.webAuthorizationRequest(of: Self.user, at: endpoint, scope: .setupAssistant)
    let form = try request.httpRequest.form()
    #expect(form.fields.map(\.name) == ["request"])
    let (header, claims) = try parts(form.values("request")[0])
    #expect(header["typ"] == "platformsso-authorization-request+jwt" && header["alg"] == "ES256")
    #expect(header["kid"] == .string(fixture.device.keys.signingKeyID.text))
    #expect(header["x5c"] == ["MAMCAQE="])
    #expect(
      claims == [
        "client_id": "c", "nonce": "n", "redirect_uri": "com.apple.platformsso://callback", "response_type": "code",
        "scope": .string(
          "openid profile offline_access urn:apple:platformsso groups urn:apple:platformsso:auth:setup-assistant"),
        "state": "s",
      ])
    #expect(request.state == "s")
    let signer = try VectorKeys.privateKey("psso-vector/device-signing")
    let prepared = try fixture.device.prepareWebAuthorizationRequest(at: endpoint)
    let finished = try prepared.finish(signature: signer.signature(for: prepared.signingInput).rawRepresentation)
    _ = try JWS.verify(
      finished.httpRequest.form().values("request")[0], with: fixture.device.keys.signingVerificationKey)
  }

  /// An endpoint as a preauthentication response names it.
  private func endpoint(
    _ parameters: AuthorizationParameters?, url: String = loginURL, _ fixture: Fixture
  ) throws -> WebAuthorizationEndpoint {
    let read = try fixture.provider.preauthenticationRequest(
      from: fixture.device.preauthenticationRequest(of: Self.user))
    let answer = try fixture.provider.preauthenticationResponse(
      to: read, .webAuthorization(at: url, request: parameters))
    guard let endpoint = try fixture.device.preauthentication(from: answer) else {
      throw named(.malformed)
    }
    return endpoint
  }

  @Test("What the device adds to an authorization URL")
  func openedRequest() throws {
    var fixture = try fixture()
    func request(_ url: String) throws -> (FormFields, WebAuthorizationRequest) {
      fixture.device.configuration.authorizationURL = url
      let request = try fixture.device.webAuthorizationRequest(of: Self.user)
      #expect(request.httpRequest.method == "GET" && request.httpRequest.body.isEmpty)
      let parts = request.httpRequest.url.split(separator: "?", maxSplits: 1)
      #expect(parts[0] == "https://idp.example.com/authorize")
      return (try FormFields(decoding: Array(parts[1].utf8)), request)
    }
    let (given, _) = try request(
      Self.loginURL + "?client_id=c&response_type=code&state=s1&scope=openid%20x&redirect_uri=https://evil.example")
    #expect(
      given == [
        "client_id": "c", "response_type": "code", "state": "s1",
        "redirect_uri": "com.apple.platformsso://callback", "login_hint": "jane@example.com",
        "scope": "openid x offline_access urn:apple:platformsso urn:apple:platformsso:auth:login",
      ])
    let (bare, fresh) = try request(Self.loginURL)
    #expect(fresh.state?.utf8.count == 36 && bare.values("state") == [fresh.state])
    #expect(try request(Self.loginURL).1.state != fresh.state)
    // An address with an empty state has none.
    let (filled, replaced) = try request(Self.loginURL + "?state=&tenant=t")
    #expect(replaced.state?.utf8.count == 36 && filled.values("state") == [replaced.state])
    #expect(filled.values("tenant") == ["t"])
    fixture.device.configuration.addsAuthorizationState = false
    let (stateless, without) = try request(Self.loginURL)
    #expect(stateless.values("state").isEmpty && without.state == nil)
    let (emptied, none) = try request(Self.loginURL + "?state=")
    #expect(emptied.values("state").isEmpty && none.state == nil)
    for url in [Self.loginURL + "?scope=a&scope=b", Self.loginURL + "#x", "no address", Self.loginURL + "?x"] {
      fixture.device.configuration.authorizationURL = url
      #expect(throws: named(.callerMisuse, "authorizationURL")) {
        try fixture.device.webAuthorizationRequest(of: Self.user)
      }
    }
    fixture.device.configuration.authorizationURL = Self.loginURL + "?scope=urn:apple:platformsso:auth:unlock"
    #expect(throws: named(.claimInvalid, "scope")) { try fixture.device.webAuthorizationRequest(of: Self.user) }
    fixture.device.configuration.authorizationURL = nil
    #expect(throws: named(.callerMisuse, "authorizationURL")) {
      try fixture.device.webAuthorizationRequest(of: Self.user)
    }
  }

  @Test("What the device refuses of a callback")
  func callbacks() throws {
    let base = "com.apple.platformsso://callback"
    func error(_ url: String, state: String? = "s") -> JOSEError? {
      do throws(JOSEError) {
        _ = try AuthorizationCallback(url: url, expectedState: state)
        return nil
      } catch { return error }
    }
    #expect(error(base + "?code=c&state=s") == nil)
    #expect(error("COM.Apple.PlatformSSO://Callback/?state=s&code=c&iss=x") == nil)
    #expect(error(base + "?code=c", state: nil) == nil)
    for state in ["", "S", "s%20", "sS", "t"] {
      #expect(error(base + "?code=c&state=\(state)") == named(.stateMismatch, "state"))
    }
    #expect(error(base + "?code=c") == named(.stateMismatch, "state"))
    #expect(error(base + "?code=c&state=s", state: nil) == named(.stateMismatch, "state"))
    // An empty state answers no request, not even one that was sent without or with an empty one.
    for state in [nil, ""] {
      #expect(error(base + "?code=c&state=", state: state) == named(.stateMismatch, "state"))
    }
    #expect(error(base + "?code=c", state: "") == named(.stateMismatch, "state"))
    #expect(error(base + "?error=access_denied&state=", state: nil) == named(.stateMismatch, "state"))
    #expect(throws: named(.fieldInvalid, "state")) { try AuthorizationCallback(received: base + "?code=c&state=") }
    #expect(throws: named(.fieldMissing, "code")) { try AuthorizationCallback(received: base + "?code=&state=s") }
    #expect(try AuthorizationCallback(received: base + "?code=c").state == nil)
    #expect(error(base + "?code=&state=s") == named(.fieldMissing, "code"))
    #expect(error(base + "?state=s") == named(.fieldMissing, "code"))
    #expect(error(base + "?error=access_denied&state=s") == named(.authorizationRefused, "error"))
    // An error that somebody else made up does not end this login.
    #expect(error(base + "?error=access_denied&state=x") == named(.stateMismatch, "state"))
    for query in [
      "code=c&state=s&state=s", "code=c&code=d&state=s", "code=c&state=s&x=1&x=2", "code=c&state=s&&",
      "code=%FF&state=s",
      "code=c&state=s#f", "code=%ZZ&state=s",
    ] {
      #expect(error(base + "?" + query) == named(.fieldInvalid, "url"))
    }
    for url in [
      "", "https://callback?code=c&state=s", "com.apple.platformsso:callback?code=c&state=s",
      "com.apple.platformsso://callback:1?code=c&state=s", "com.apple.platformsso://a@callback?code=c&state=s",
      "com.apple.platformsso://callback/x?code=c&state=s", "com.apple.platformsso://other?code=c&state=s",
    ] {
      #expect(error(url) == named(.fieldInvalid, "url"))
    }
    let callback = try AuthorizationCallback(url: base + "?code=secret-code", expectedState: nil)
    #expect(!"\(callback) \(String(reflecting: callback))".contains("secret-code"))
  }

  @Test("What the provider refuses of an authorization request")
  func authorizationRefusals() async throws {
    let fixture = try fixture()
    let key = try VectorKeys.signing("device-signing")
    func refusal(
      key signingKey: SigningKey? = nil, type: String = "platformsso-authorization-request+jwt", keyID: String? = nil,
      form: String = "request=TOKEN", _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> JOSEError? {
      let parameters = fixture.provider.authorizationParameters(clientID: "psso-client")
      let request = try fixture.device.webAuthorizationRequest(
        of: Self.user, at: endpoint(parameters, fixture))
      var claims = try parts(request.httpRequest.form().values("request")[0]).claims
      change(&claims)
      let token = try JWS.sign(
        claims.serialized(), with: signingKey ?? key,
        header: HeaderParameters(type: type, keyID: keyID ?? fixture.device.keys.signingKeyID.text))
      var changed = request.httpRequest
      changed.body = Array(form.replacing("TOKEN", with: token).utf8)
      let sent = changed
      return await error { _ = try await fixture.provider.authorizationRequest(from: sent) }
    }
    #expect(try await refusal() == nil)
    #expect(try await refusal(key: SigningKey.generate(.es256)) == named(.signatureInvalid))
    #expect(try await refusal(type: "platformsso-login-request+jwt") == named(.typeMismatch, "typ"))
    #expect(try await refusal(keyID: "xn+koRKA6QjRHUV646Ekc7/aWZW+DFiZmyvmJYbPgg8=")?.code == .deviceUnknown)
    #expect(try await refusal(form: "assertion=TOKEN") == named(.fieldMissing, "request"))
    #expect(try await refusal(form: "request=TOKEN&request=x") == named(.fieldDuplicated, "request"))
    for name in ["client_id", "nonce", "redirect_uri", "response_type", "scope", "state"] {
      #expect(try await refusal { $0[name] = nil } == named(.claimMissing, name))
    }
    #expect(try await refusal { $0["client_id"] = "other" } == named(.claimMismatch, "client_id"))
    #expect(try await refusal { $0["redirect_uri"] = "https://evil" } == named(.claimMismatch, "redirect_uri"))
    #expect(try await refusal { $0["response_type"] = "id_token" } == named(.claimMismatch, "response_type"))
    #expect(
      try await refusal { $0["scope"] = "urn:apple:platformsso:auth:login urn:apple:platformsso:auth:unlock" }
        == named(.claimInvalid, "scope"))
    let invalid = named(.serverNonceInvalid, "request_nonce")
    #expect(try await refusal { $0["state"] = "other" } == invalid)
    #expect(try await refusal { $0["nonce"] = "other" } == invalid)
    // A server nonce of a login is none of an authorization, and the other way round.
    let nonce = try fixture.nonces().serverNonce
    #expect(try await refusal { $0["nonce"] = .string(nonce) } == invalid)
    let parameters = fixture.provider.authorizationParameters(clientID: "psso-client")
    let login = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: RequestNonces(serverNonce: parameters.nonce))
    #expect(await error { _ = try await fixture.provider.loginRequest(from: login.httpRequest) } == invalid)
    let old = try endpoint(parameters, fixture)
    fixture.clock.advance(by: 300)
    let late = try fixture.device.webAuthorizationRequest(of: Self.user, at: old)
    #expect(
      await error { _ = try await fixture.provider.authorizationRequest(from: late.httpRequest) }
        == named(.serverNonceExpired, "request_nonce"))
  }

  @Test("A code is good for what its page was asked for alone, whether a device signed the request or not")
  func boundScope() async throws {
    let fixture = try fixture()
    let mac = try await fixture.store.device()
    let unlock = AuthorizationScope.unlock
    // Without a scope it is a login.
    let rows: [(asked: AuthorizationScope?, wanted: AuthorizationScope?, isGood: Bool)] = [
      (unlock, unlock, true), (unlock, .elevation, false), (unlock, .login, false), (unlock, nil, false),
      (nil, unlock, false), (nil, .elevation, false), (nil, .login, true), (.login, nil, true), (nil, nil, true),
    ]
    for device in [RegisteredDevice?.some(mac), nil] {
      for row in rows {
        let code = try #require(
          try await fixture.provider.logins.makeAuthorizationCode(
            for: Fixture.user, on: device, state: "s", scope: row.asked))
        let callback = try AuthorizationCallback(
          url: "com.apple.platformsso://callback?code=\(code)&state=s", expectedState: "s")
        func refusal(_ scope: AuthorizationScope?) async throws -> JOSEError? {
          let login = try fixture.device.loginRequest(
            of: Self.user, by: .webAuthorization(callback), nonces: fixture.nonces())
          let request = try fixture.request(like: login) {
            $0["scope"] = .string(scope.map { "openid \($0)" } ?? "openid")
          }
          return await fixture.refusal(of: request)
        }
        let rejected = named(.authorizationCodeRejected, "subject_token")
        #expect(try await refusal(row.wanted) == (row.isGood ? nil : rejected), "\(row) \(device == nil)")
        // It is used up even so.
        #expect(try await refusal(row.asked) == rejected)
      }
    }
  }

  @Test("The scope of a page's address is read as that of a request")
  func scopeOfPage() throws {
    #expect(try AuthorizationScope(in: "openid urn:apple:platformsso urn:apple:platformsso:auth:unlock") == .unlock)
    #expect(try AuthorizationScope(in: "openid offline_access urn:apple:platformsso") == nil)
    #expect(try AuthorizationScope(in: "") == nil)
    #expect(throws: named(.claimInvalid, "scope")) {
      try AuthorizationScope(in: "urn:apple:platformsso:auth:login urn:apple:platformsso:auth:unlock")
    }
  }

  @Test("HPKE, which Apple's sample of this login asks for, is refused by name")
  func hpke() async throws {
    let fixture = try fixture()
    try await fixture.store.issue(code: "c", state: "s")
    let callback = try AuthorizationCallback(
      url: "com.apple.platformsso://callback?code=c&state=s", expectedState: "s")
    let request = try fixture.device.loginRequest(
      of: Self.user, by: .webAuthorization(callback), nonces: fixture.nonces())
    let sample = try fixture.request(like: request) {
      $0["jwe_crypto"] = ["alg": "HPKE-P256-SHA256-A256GCM", "enc": "dir", "kid": "k"]
    }
    #expect(
      await error { _ = try await fixture.provider.loginRequest(from: sample) } == named(.hpkeUnsupported, "alg"))
  }

  @Test("Authorization scopes: sent where they are wanted, the same inside and outside, one at most")
  func scopes() async throws {
    var fixture = try fixture()
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    let userKey = try VectorKeys.signing("user-secure-enclave")
    fixture.device.configuration.includePlatformSSOAuthorizationScopes = true
    let login = try fixture.device.loginRequest(
      of: Self.user, by: .userSecureEnclaveKey(userKey), nonces: fixture.nonces(), authorizationScope: .unlock)
    #expect(try await fixture.provider.loginRequest(from: login.httpRequest).authorizationScope == .unlock)
    let refresh = try fixture.refreshRequest()
    #expect(
      try await fixture.provider.refreshRequest(from: refresh.httpRequest).scope
        == "openid offline_access urn:apple:platformsso urn:apple:platformsso:auth:refresh")
    let key = try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
    #expect(try parts(key.assertion).claims["scope"] == "urn:apple:platformsso:auth:unlock")
    let nonces = try fixture.nonces()
    let assertion = try fixture.device.embeddedAssertion(
      of: Self.user, signedWith: userKey, nonces: nonces, authorizationScope: .elevation)
    #expect(throws: named(.callerMisuse, "authorizationScope")) {
      try fixture.device.loginRequest(of: Self.user, by: .embeddedAssertion(assertion), nonces: nonces)
    }
    let two = try fixture.request(like: login) {
      $0["scope"] = "urn:apple:platformsso:auth:login urn:apple:platformsso:auth:refresh"
      $0["nonce"] = "fresh"
    }
    #expect(await error { _ = try await fixture.provider.loginRequest(from: two) }?.code != nil)
    #expect(AuthorizationScope(purpose: "auth-prompt") == .authPrompt)
    #expect("\(AuthorizationScope.temporarySession)" == "urn:apple:platformsso:auth:temporary-session")
  }
}
