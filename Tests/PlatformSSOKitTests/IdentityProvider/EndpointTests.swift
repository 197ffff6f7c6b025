import JOSE
import PlatformSSOKit
import PureCrypto
import Synchronization
import Testing

@Suite("One endpoint for everything that Macs send")
struct EndpointTests {
  private static let user = LoginRequestTests.user

  /// Answers of the test's choice, which note what they were asked.
  private final class Answers: IdentityProviderAnswers {
    enum Failure: Error { case database }

    let keyContexts: KeyContexts?
    let key: UnlockKey?
    let isUserThere: Bool
    let failure: (any Error)?
    let page: HTTPResponseValue?
    private let notes = Mutex<[String]>([])

    init(
      keyContexts: KeyContexts? = nil, key: UnlockKey? = nil, isUserThere: Bool = true, failure: (any Error)? = nil,
      page: HTTPResponseValue? = nil
    ) {
      (self.keyContexts, self.key, self.isUserThere) = (keyContexts, key, isUserThere)
      (self.failure, self.page) = (failure, page)
    }

    var asked: [String] { notes.withLock { $0 } }

    private func note(_ text: String) throws {
      notes.withLock { $0.append(text) }
      if let failure { throw failure }
    }

    func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) throws -> LoginResponse? {
      let name = if case .refreshToken = request.credential { "refresh" } else { "login" }
      try note("\(name) of \(request.userName) on \(request.request.device.id)")
      guard isUserThere else { return nil }
      return LoginResponse(
        idToken: try provider.idToken(for: request, subject: "5b1f", additional: ["name": "Jane"]),
        refreshToken: "rt-000002", refreshTokenExpiresIn: .seconds(28_800))
    }

    func unlockKey(for request: KeyEndpointRequest, by provider: IdentityProvider) throws -> UnlockKey? {
      let name = request.otherPublicKeyX963Representation == nil ? "key" : "exchange"
      try note("\(name) of \(request.userName) on \(request.request.device.id)")
      return key
    }

    func preauthenticationAnswer(
      to request: PreauthenticationRequest, by provider: IdentityProvider
    ) async throws -> PreauthenticationAnswer {
      try note("preauthentication of \(request.userName)")
      return .webAuthorization(
        at: "https://idp.example.com/authorize",
        request: provider.authorizationParameters(clientID: "psso-client"))
    }

    func loginPage(for request: AuthorizationRequest) throws -> HTTPResponseValue? {
      try note("page on \(request.device.id)")
      return page
    }
  }

  /// A provider that keeps nothing but what it must: every default.
  private struct PlainAnswers: IdentityProviderAnswers {
    func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) -> LoginResponse? { nil }
  }

  private func nonces(_ fixture: Fixture, _ answers: Answers) async throws -> RequestNonces {
    let request = fixture.device.serverNonceRequest()
    return try fixture.device.requestNonces(
      from: await fixture.provider.response(to: request, with: answers), to: request)
  }

  private func refusal(
    _ request: HTTPRequestValue, _ fixture: Fixture, _ answers: some IdentityProviderAnswers
  ) async -> JOSEError? {
    do throws(JOSEError) {
      _ = try await fixture.provider.response(to: request, with: answers)
      return nil
    } catch {
      return error
    }
  }

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private func exchange(
    _ fixture: Fixture, _ answers: Answers, keyContext: String?
  ) async throws -> DeviceRequest {
    try fixture.device.keyRequest(
      of: Self.user, refreshToken: "rt-000001", otherPublicKey: VectorKeys.point("peer-exchange"),
      keyContext: keyContext, nonces: await nonces(fixture, answers))
  }

  @Test("A login by password, by key and by browser, and a refresh: each is answered with the tokens that were given")
  func tokens() async throws {
    let fixture = try Fixture()
    let (device, provider) = (fixture.device, fixture.provider)
    let answers = Answers()
    let key = try VectorKeys.signing("user-secure-enclave")
    try await fixture.store.enroll(RegisteredKey(signingKey: key.verificationKey))
    let methods: [LoginMethod] = [.password("correct horse"), .userSecureEnclaveKey(key)]
    for method in methods {
      let request = try device.loginRequest(of: Self.user, by: method, nonces: await nonces(fixture, answers))
      let response = try await provider.response(to: request.httpRequest, with: answers)
      let opened = try device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      #expect(opened.idToken.claims["sub"] == "5b1f" && opened.idToken.claims["name"] == "Jane")
      #expect(opened.response.refreshToken == "rt-000002")
    }
    let request = try device.refreshRequest(refreshToken: "rt-000001", nonces: await nonces(fixture, answers))
    let response = try await provider.response(to: request.httpRequest, with: answers)
    let opened = try device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    #expect(opened.response.refreshToken == "rt-000002")
    let login = "login of \(Fixture.user) on mac-1"
    #expect(answers.asked == [login, login, "refresh of \(Fixture.user) on mac-1"])
  }

  @Test("A GET where requests are posted is 405, and a preauthentication has its address")
  func methods() async throws {
    var fixture = try Fixture()
    let token = fixture.provider.configuration.tokenEndpointURL
    func status(_ url: String) async -> Int {
      let request = HTTPRequestValue(
        method: "GET", url: url, headers: HTTPHeaderFields(known: [("client-request-id", "r-1")]))
      guard let error = await refusal(request, fixture, Answers()) else { return 200 }
      return fixture.provider.errorResponse(for: error).status
    }
    let path = try URIComponents(parsing: token).path
    for url in [token, token + "?user=jane", path + "?user=jane", "https://idp.example.com/nonce", "/nonce?x=1"] {
      #expect(await status(url) == 405, "\(url)")
    }
    #expect(await status("https://idp.example.com/discovery?user=jane") == 200)
    fixture.provider.configuration.preauthenticationURL = "https://idp.example.com/discovery"
    #expect(await status("/discovery?user=jane") == 200)
    #expect(await status("https://idp.example.com/discovery") == 400)
    #expect(await status("https://idp.example.com/nonce?user=jane") == 405)
    // One address for everything, if the provider says so.
    fixture.provider.configuration.preauthenticationURL = token
    #expect(await status(token + "?user=jane") == 200)
  }

  @Test("A request with a compressed body is answered with 415")
  func codings() async throws {
    let fixture = try Fixture()
    let nonce = HTTPRequestValue(
      method: "POST", url: fixture.provider.configuration.tokenEndpointURL,
      headers: HTTPHeaderFields(known: [
        ("Content-Type", "application/x-www-form-urlencoded"), ("client-request-id", "r-1"),
      ]),
      body: Array("grant_type=srv_challenge".utf8))
    #expect(await refusal(nonce, fixture, Answers()) == nil)
    for (coding, isTaken) in [
      ("gzip", false), ("br", false), ("identity, gzip", false), ("IDENTITY", true), ("", true),
    ] {
      var coded = nonce
      try coded.headers.append("Content-Encoding", coding)
      let error = await refusal(coded, fixture, Answers())
      #expect(error.map { fixture.provider.errorResponse(for: $0).status } == (isTaken ? nil : 415), "\(coding)")
    }
  }

  @Test("From preauthentication by the page to a login with the browser's code")
  func browser() async throws {
    var fixture = try Fixture()
    fixture.device.configuration.federationUserPreauthenticationURL = "https://idp.example.com/discovery"
    fixture.device.configuration.isFederated = { $0["account_type"] == "Federated" }
    let answers = Answers(page: HTTPResponseValue(status: 200, body: Array("a page".utf8)))
    let asked = try fixture.device.preauthenticationRequest(of: Self.user)
    let answer = try await fixture.provider.response(to: asked, with: answers)
    guard let endpoint = try fixture.device.preauthentication(from: answer) else {
      Issue.record("no login by a browser")
      return
    }
    let opened = try fixture.device.webAuthorizationRequest(of: Self.user, at: endpoint)
    let page = try await fixture.provider.response(to: opened.httpRequest, with: answers)
    #expect(page.body == Array("a page".utf8))
    let parameters = try #require(endpoint.parameters)
    try await fixture.store.issue(code: "c1", state: parameters.state)
    let callback = try AuthorizationCallback(
      url: "\(parameters.redirectURI)?code=c1&state=\(parameters.state)", answering: opened)
    let request = try fixture.device.loginRequest(
      of: Self.user, by: .webAuthorization(callback), nonces: await nonces(fixture, answers))
    let response = try await fixture.provider.response(to: request.httpRequest, with: answers)
    let tokens = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    #expect(tokens.idToken.claims["sub"] == "5b1f")
    let user = Fixture.user
    #expect(answers.asked == ["preauthentication of \(user)", "page on mac-1", "login of \(user) on mac-1"])
    // The request was good once, and the page is shown to nobody else.
    #expect(
      await refusal(opened.httpRequest, fixture, answers) == named(.serverNonceReplayed, "request_nonce"))
    #expect(answers.asked.count == 3)
  }

  @Test("A key is certified and used, with contexts and without", arguments: [true, false])
  func keys(_ hasContexts: Bool) async throws {
    let fixture = try Fixture()
    let contexts = hasContexts ? try KeyContexts(secret: .random(count: 32)) : nil
    let key = UnlockKey.generate()
    let answers = Answers(keyContexts: contexts, key: key)
    let request = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "rt-000001", nonces: await nonces(fixture, answers))
    let given = try fixture.device.openKeyResponse(
      await fixture.provider.response(to: request.httpRequest, with: answers), to: request)
    #expect(given.publicKeyX963Representation == key.x963Representation)
    #expect((given.keyContext != nil) == hasContexts)
    let use = try await exchange(fixture, answers, keyContext: given.keyContext)
    let shared = try fixture.device.openKeyExchangeResponse(
      await fixture.provider.response(to: use.httpRequest, with: answers), to: use)
    let peer = try VectorKeys.privateKey("psso-vector/peer-exchange")
    let expected = try peer.sharedSecret(with: P256PublicKey(x963Representation: key.x963Representation))
    #expect(shared.key.withUnsafeBytes { Array($0) } == expected.withUnsafeBytes { Array($0) })
    #expect(answers.asked == ["key of \(Fixture.user) on mac-1", "exchange of \(Fixture.user) on mac-1"])
  }

  @Test(
    "A login with another public key is answered with the secret besides the tokens (macOS 27)",
    arguments: [true, false])
  func unlockingLogin(_ hasContexts: Bool) async throws {
    let fixture = try Fixture()
    let contexts = hasContexts ? try KeyContexts(secret: .random(count: 32)) : nil
    let key = UnlockKey.generate()
    let answers = Answers(keyContexts: contexts, key: key)
    let peer = try VectorKeys.privateKey("psso-vector/peer-exchange")
    let expected = try peer.sharedSecret(with: P256PublicKey(x963Representation: key.x963Representation))
    func login(
      _ answers: Answers, keyContext: String?, point: [UInt8]? = nil
    ) async throws -> (DeviceRequest, HTTPResponseValue) {
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers),
        authorizationScope: .unlock, otherPublicKey: point ?? VectorKeys.point("peer-exchange"),
        keyContext: keyContext)
      return (request, try await fixture.provider.response(to: request.httpRequest, with: answers))
    }
    // The first time the Mac has no context yet; then it sends the one that it was given.
    var context: String?
    for _ in 0..<2 {
      let (request, response) = try await login(answers, keyContext: context)
      let opened = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      let unlock = try #require(opened.unlock)
      #expect(unlock.key.withUnsafeBytes { Array($0) } == expected.withUnsafeBytes { Array($0) })
      #expect((unlock.keyContext != nil) == hasContexts)
      context = unlock.keyContext
      // The same by a device key that answers later.
      let later = try fixture.device.prepareLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      let secret = try VectorKeys.privateKey("psso-vector/device-encryption").sharedSecret(
        with: P256PublicKey(x963Representation: later.ephemeralPublicKey))
      let finished = try #require(try later.finish(sharedSecret: secret.withUnsafeBytes { Array($0) }).unlock)
      #expect(finished.key.withUnsafeBytes { Array($0) } == expected.withUnsafeBytes { Array($0) })
    }
    let (user, asked) = (Fixture.user, answers.asked)
    #expect(asked == ["exchange of \(user) on mac-1", "login of \(user) on mac-1"] + asked.prefix(2))
    // A user without a key logs in all the same.
    let none = Answers(keyContexts: contexts)
    let (request, response) = try await login(none, keyContext: nil)
    #expect(try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys).unlock == nil)
    // A login that asks for no key gets none, and is asked for none.
    let plain = Answers(keyContexts: contexts, key: key)
    let ordinary = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, plain))
    let tokens = try await fixture.provider.response(to: ordinary.httpRequest, with: plain)
    let opened = try fixture.device.openLoginResponse(tokens, to: ordinary, idTokenKeys: fixture.idTokenKeys)
    #expect(opened.unlock == nil && opened.response.additional.isEmpty)
    #expect(plain.asked == ["login of \(user) on mac-1"])
  }

  @Test("A login that asks for a key in a wrong way gives no key, and tokens only if nothing else is wrong")
  func wrongUnlockingLogin() async throws {
    let fixture = try Fixture()
    let contexts = try KeyContexts(secret: .random(count: 32))
    let key = UnlockKey.generate()
    let point = try VectorKeys.point("peer-exchange")
    var offCurve = point
    offCurve[40] ^= 1
    func refused(_ answers: Answers, _ change: (inout JSONObject) -> Void) async throws -> JOSEError? {
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers),
        otherPublicKey: point)
      return await refusal(try fixture.request(like: request, changing: change), fixture, answers)
    }
    let points: [(JSONValue, JOSEError)] = [
      (.string(Base64.encode(offCurve)), named(.keyInvalid, "other_publickey")),
      (.string(Base64.encode(point.dropFirst())), named(.keyInvalid, "other_publickey")),
      (.string(Base64.encode([0x02] + point[1..<33])), named(.keyInvalid, "other_publickey")),
      (.string("!"), named(.claimInvalid, "other_publickey")), (1, named(.claimInvalid, "other_publickey")),
    ]
    for (value, expected) in points {
      let answers = Answers(keyContexts: contexts, key: key)
      #expect(try await refused(answers) { $0["other_publickey"] = value } == expected)
      #expect(answers.asked.isEmpty)
    }
    let others = [
      "", "e30", try contexts.seal(.generate(), userName: Fixture.user, deviceID: "mac-1"),
      try contexts.seal(key, userName: "john@example.com", deviceID: "mac-1"),
    ]
    for context in others {
      // The Mac has a context that is no longer good: it gets its tokens, and asks for another key with them.
      let answers = Answers(keyContexts: contexts, key: key)
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers),
        otherPublicKey: point, keyContext: context)
      let response = try await fixture.provider.response(to: request.httpRequest, with: answers)
      let opened = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      #expect(opened.unlock == nil && opened.response.additional.isEmpty)
    }
    // A wrong password learns nothing of a key.
    let answers = Answers(keyContexts: contexts, key: key)
    #expect(try await refused(answers) { $0["password"] = "wrong" } == named(.passwordRejected, "password"))
    #expect(answers.asked.isEmpty)
    // A key of another length spoils no tokens on the device.
    let unlocking = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers), otherPublicKey: point)
    guard case .tokenEndpoint(let login) = try await fixture.provider.checkedRequest(unlocking.httpRequest) else {
      Issue.record("no login")
      return
    }
    for member: JSONValue in ["AAAA", 1, [:]] {
      let response = LoginResponse(
        idToken: try fixture.provider.idToken(for: login, subject: "5b1f"), refreshToken: "r",
        refreshTokenExpiresIn: .seconds(1), additional: ["key": member])
      let opened = try fixture.device.openLoginResponse(
        fixture.provider.loginResponse(to: login, response), to: unlocking, idTokenKeys: fixture.idTokenKeys)
      #expect(opened.unlock == nil && opened.response.refreshToken == "r")
    }
    let request = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers))
    guard case .tokenEndpoint(let asked) = try await fixture.provider.checkedRequest(request.httpRequest) else {
      Issue.record("no login")
      return
    }
    let tokens = LoginResponse(idToken: "a.b.c", refreshToken: "r", refreshTokenExpiresIn: .seconds(1))
    #expect(throws: named(.callerMisuse, "unlockKey")) {
      try fixture.provider.loginResponse(to: asked, tokens, unlockKey: key)
    }
  }

  @Test("A context that is missing, another's, a former registration's or damaged gives no key")
  func contexts() async throws {
    let fixture = try Fixture()
    let contexts = try KeyContexts(secret: .random(count: 32))
    let key = UnlockKey.generate()
    let answers = Answers(keyContexts: contexts, key: key)
    let own = try contexts.seal(key, userName: Fixture.user, deviceID: "mac-1")
    var wrong: [String?] = [
      nil, "", "e30", try contexts.seal(.generate(), userName: Fixture.user, deviceID: "mac-1"),
      try contexts.seal(key, userName: Fixture.user, deviceID: "mac-2"),
      try contexts.seal(key, userName: "john@example.com", deviceID: "mac-1"),
      try contexts.seal(key, userName: Fixture.user, deviceID: "mac-1", tenant: "other"),
    ]
    wrong.append(String(own.dropLast(4)) + "AAAA")
    for context in wrong {
      let request = try await exchange(fixture, answers, keyContext: context)
      let error = await refusal(request.httpRequest, fixture, answers)
      #expect(error == named(.keyContextInvalid, "key_context"), "\(context ?? "none")")
      #expect(error.map { fixture.provider.errorResponse(for: $0).status } == 400)
    }
    let request = try await exchange(fixture, answers, keyContext: own)
    #expect(await refusal(request.httpRequest, fixture, answers) == nil)
  }

  @Test("A request of a removed user, or for a missing key or page, is refused")
  func nothingToGive() async throws {
    let fixture = try Fixture()
    let answers = Answers(isUserThere: false)
    let login = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers))
    let refresh = try fixture.device.refreshRequest(
      refreshToken: "rt-000001", nonces: await nonces(fixture, answers))
    let key = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "rt-000001", nonces: await nonces(fixture, answers))
    let parameters = fixture.provider.authorizationParameters(clientID: "psso-client")
    let page = try fixture.device.webAuthorizationRequest(
      of: Self.user, at: WebAuthorizationEndpoint(url: "https://idp.example.com/authorize", parameters: parameters))
    let use = try await exchange(fixture, answers, keyContext: nil)
    for (request, error) in [
      (login.httpRequest, named(.accountLocked, "sub")), (refresh.httpRequest, named(.accountLocked, "sub")),
      (key.httpRequest, named(.keyNotFound, "sub")), (use.httpRequest, named(.keyNotFound, "sub")),
      (page.httpRequest, named(.grantUnsupported, "request")),
    ] {
      #expect(await refusal(request, fixture, answers) == error)
      #expect(fixture.provider.errorResponse(for: error).status == 400)
    }
    // By default there are neither keys nor pages, and everybody logs in as everybody does.
    let asked = HTTPRequestValue(
      method: "GET", url: "/discovery?user=jane",
      headers: try HTTPHeaderFields([("client-request-id", "3F2504E0-4F89-41D3-9A0C-0305E82C3301")]))
    let managed = try await fixture.provider.response(to: asked, with: PlainAnswers())
    #expect(try JSONObject(parsing: managed.body)["account_type"] == "Managed")
    let again = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "rt-000001", nonces: await nonces(fixture, answers))
    #expect(await refusal(again.httpRequest, fixture, PlainAnswers()) == named(.keyNotFound, "sub"))
  }

  @Test("An app's error is answered with 503, and a JOSEError keeps its own status")
  func failures() async throws {
    let fixture = try Fixture()
    let error = JOSEError(.customClaimReserved, "", name: "iss")
    for (failure, expected, status) in [
      (Answers.Failure.database as any Error, named(.storeUnavailable), 503), (error, error, 500),
    ] {
      let answers = Answers(key: .generate(), failure: failure)
      let login = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers))
      let key = try fixture.device.keyRequest(
        of: Self.user, refreshToken: "rt-000001", nonces: await nonces(fixture, answers))
      for request in [login, key] {
        let refused = await refusal(request.httpRequest, fixture, answers)
        #expect(refused == expected)
        #expect(refused.map { fixture.provider.errorResponse(for: $0).status } == status)
      }
      #expect(answers.asked.count == 2)
    }
  }

  @Test("What fails a check is refused before anything is asked of the caller")
  func checksComeFirst() async throws {
    let fixture = try Fixture()
    let answers = Answers(key: .generate(), page: HTTPResponseValue(status: 200))
    let device = fixture.device
    var requests: [HTTPRequestValue] = []
    let wrong = try device.loginRequest(
      of: Self.user, by: .password("guess"), nonces: await nonces(fixture, answers))
    requests.append(wrong.httpRequest)
    requests.append(
      try device.refreshRequest(refreshToken: "another", nonces: await nonces(fixture, answers)).httpRequest)
    let forger = try SigningKey.generate(.es256)
    for good in [
      try device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: await nonces(fixture, answers)),
      try device.refreshRequest(refreshToken: "rt-000001", nonces: await nonces(fixture, answers)),
      try device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: await nonces(fixture, answers)),
      try await exchange(fixture, answers, keyContext: nil),
    ] {
      // Somebody else's signature, no signature, another type, and each octet of the body cut off or turned over now
      // and then.
      requests.append(try fixture.request(like: good, key: forger))
      requests.append(try fixture.request(like: good, assertion: String(good.assertion.prefix { $0 != "." }) + ".."))
      requests.append(try fixture.request(like: good, type: "platformsso-something+jwt"))
      let body = good.httpRequest.body
      for index in stride(from: 0, to: body.count, by: 37) {
        var cut = good.httpRequest
        cut.body = Array(body[..<index])
        var turned = good.httpRequest
        turned.body[index] ^= 0x10
        requests += [cut, turned]
      }
    }
    for method in ["PUT", "DELETE", ""] {
      var request = wrong.httpRequest
      request.method = method
      requests.append(request)
    }
    var refused = 0
    for request in requests {
      guard let error = await refusal(request, fixture, answers) else { continue }
      refused += 1
      #expect([400, 401, 405, 413, 415].contains(fixture.provider.errorResponse(for: error).status), "\(error)")
    }
    // A field that decides nothing may be turned over: then the request is taken, once.
    #expect(refused >= requests.count - 4 && answers.asked.count == requests.count - refused)
  }
}
