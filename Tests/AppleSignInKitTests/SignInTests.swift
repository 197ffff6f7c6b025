import JOSE
@testable import IdentityTesting
import StrictJSON
import Synchronization
import Testing

@testable import AppleSignInKit

/// The whole exchange between ``AppleSignInClient`` and ``AppleStandIn``.
@Suite struct SignInTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func client(_ standIn: AppleStandIn) throws -> AppleSignInClient {
    AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(), signer: try fixture.signer(),
      transport: { await standIn.handle($0) })
  }

  private func signIn(
    _ client: AppleSignInClient, _ standIn: AppleStandIn, _ responseType: AppleResponseType,
    scopes: Set<AppleScope>, mode: AppleResponseMode? = nil
  ) async throws -> AppleSignIn {
    let start = try await client.begin(responseType: responseType, scopes: scopes, responseMode: mode)
    let answer = await standIn.authorize(start.url, decision: .approve(fixture.user))
    guard
      case .signedIn(let signIn) = try await client.finish(
        #require(answer.callback), handle: start.handle, keepingUser: { _ in })
    else {
      throw JOSEError(.callerMisuse, "cancelled")
    }
    return signIn
  }

  @Test(arguments: [false, true]) func `every valid combination signs in`(text: Bool) async throws {
    let combinations: [(AppleResponseType, Set<AppleScope>, AppleResponseMode?)] = [
      (.code, [], nil), (.code, [], .query), (.code, [], .fragment), (.code, [], .formPost), (.code, [.email], nil),
      (.code, [.name, .email], .formPost), (.codeAndIdentityToken, [], nil), (.codeAndIdentityToken, [], .fragment),
      (.codeAndIdentityToken, [], .formPost), (.codeAndIdentityToken, [.name, .email], nil),
    ]
    for (type, scopes, mode) in combinations {
      let standIn = try fixture.standIn(text: text)
      let signIn = try await signIn(client(standIn), standIn, type, scopes: scopes, mode: mode)
      #expect(signIn.identity.subject == fixture.user.subject(teamID: Fixture.teamID))
      #expect((signIn.identity.email != nil) == scopes.contains(.email))
      #expect(signIn.identity.isPrivateEmail == scopes.contains(.email))
    }
  }

  @Test func `P29 the user object comes once, and again after forgetting`() async throws {
    let standIn = try fixture.standIn()
    let client = try client(standIn)
    let scopes: Set<AppleScope> = [.name, .email]
    #expect(try await signIn(client, standIn, .code, scopes: scopes).user?.givenName == "Zoë Ann")
    let second = try await signIn(client, standIn, .code, scopes: scopes)
    #expect(second.user == nil && second.identity.email != nil)
    await standIn.forget(fixture.user, clientID: Fixture.clientID)
    #expect(try await signIn(client, standIn, .code, scopes: scopes).user?.familyName == "O'Brien")
  }

  @Test func `P28 cancelling, in every mode`() async throws {
    let standIn = try fixture.standIn()
    let client = try client(standIn)
    for mode in AppleResponseMode.allCases {
      let start = try await client.begin(responseMode: mode)
      let answer = await standIn.authorize(start.url, decision: .cancel)
      guard
        case .cancelled = try await client.finish(
          #require(answer.callback), handle: start.handle, keepingUser: { _ in })
      else {
        Issue.record("not cancelled")
        return
      }
    }
  }

  @Test func `N07 a response is good once, and only in its own browser`() async throws {
    let standIn = try fixture.standIn()
    let client = try client(standIn)
    let start = try await client.begin()
    let other = try await client.begin()
    let callback = try #require(await standIn.authorize(start.url, decision: .approve(fixture.user)).callback)
    #expect(
      await failure { _ = try await client.finish(callback, handle: other.handle) { _ in } }?.code == .stateMismatch)
    #expect(await failure { _ = try await client.finish(callback, handle: "made up") { _ in } }?.code == .signInUnknown)
    _ = try await client.finish(callback, handle: start.handle) { _ in }
    #expect(
      await failure { _ = try await client.finish(callback, handle: start.handle) { _ in } }?.code == .signInUnknown)
  }

  @Test func `N13 the identity's email address is the token's and not the user object's`() async throws {
    let standIn = try fixture.standIn()
    let client = try client(standIn)
    let start = try await client.begin(scopes: [.email])
    var callback = try #require(await standIn.authorize(start.url, decision: .approve(fixture.user)).callback)
    let body = String(decoding: callback.body, as: UTF8.self)
    let place = try #require(body.firstRange(of: "&user="))
    callback.body = Array((body[..<place.upperBound] + PercentEncoding.encode(#"{"email":"victim@example.com"}"#)).utf8)
    guard case .signedIn(let signIn) = try await client.finish(callback, handle: start.handle, keepingUser: { _ in })
    else { return }
    #expect(signIn.user?.email == "victim@example.com")
    #expect(signIn.identity.email?.hasSuffix("@privaterelay.appleid.com") == true)
  }

  @Test func `N23 and N25 codes and users of different sign-ins can't be mixed`() async throws {
    let standIn = try fixture.standIn()
    let client = try client(standIn)
    func started(_ user: AppleStandInUser) async throws -> (AppleSignInStart, [String: String]) {
      let start = try await client.begin(responseType: .codeAndIdentityToken, responseMode: .formPost)
      let callback = try #require(await standIn.authorize(start.url, decision: .approve(user)).callback)
      let fields = try FormBody.parse(callback.body, limit: 9999)
      var values: [String: String] = [:]
      for name in ["state", "code", "id_token"] { values[name] = fields[name] }
      return (start, values)
    }
    var mallory = fixture.user
    mallory.id = "mallory"
    let (start, mine) = try await started(fixture.user)
    let (_, theirs) = try await started(mallory)
    let mixed = FormBody.post(
      [("state", mine["state"] ?? ""), ("code", theirs["code"] ?? ""), ("id_token", mine["id_token"] ?? "")],
      to: "https://x.example")
    #expect(await failure { _ = try await client.finish(mixed, handle: start.handle) { _ in } }?.code == .claimMismatch)
  }

  @Test func `N25 the token endpoint answers about another user`() async throws {
    let standIn = try fixture.standIn()
    var claims = Fixture.claimsT
    claims["at_hash"] = nil
    let key = fixture.serviceKey
    let nonce = Mutex("")
    let client = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(), signer: try fixture.signer(),
      transport: { [claims] request in
        guard request.url == "https://appleid.apple.com/auth/token" else { return await standIn.handle(request) }
        var claims = claims
        claims["nonce"] = .string(nonce.withLock { $0 })
        let body: JSONObject = [
          "access_token": "a", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r",
          "id_token": .string(try JWT.sign(claims, with: key, type: nil)),
        ]
        return HTTPResponseValue(status: 200, body: body.serialized())
      })
    let start = try await client.begin(responseType: .codeAndIdentityToken, responseMode: .formPost)
    let query = start.url.drop { $0 != "?" }.dropFirst()
    let sent = try FormBody.parse(query.utf8, limit: 9999)["nonce"]
    nonce.withLock { $0 = sent ?? "" }
    let callback = try #require(await standIn.authorize(start.url, decision: .approve(fixture.user)).callback)
    #expect(
      await failure { _ = try await client.finish(callback, handle: start.handle) { _ in } }?.code == .subjectMismatch)
  }

  @Test func `N32 a faulty server after the code was sent gets no second request`() async throws {
    let standIn = try fixture.standIn()
    let sent = Mutex(0)
    let client = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(), signer: try fixture.signer(),
      transport: { request in
        guard request.url == "https://appleid.apple.com/auth/token" else { return await standIn.handle(request) }
        sent.withLock { $0 += 1 }
        return HTTPResponseValue(status: 502, body: Array("<html>".utf8))
      })
    let start = try await client.begin()
    let callback = try #require(await standIn.authorize(start.url, decision: .approve(fixture.user)).callback)
    #expect(
      await failure { _ = try await client.finish(callback, handle: start.handle) { _ in } }?.code == .serverUnavailable
    )
    #expect(sent.withLock { $0 } == 1)
  }

  @Test func `a client secret that Apple refuses is made anew, and only a code is not sent again`() async throws {
    let standIn = try fixture.standIn()
    let clock = ManualClock(Fixture.now)
    let sent = Mutex<[String]>([])
    let refuses = Mutex(true)
    let client = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(),
      signer: try fixture.signer(clock: clock.wallClock),
      transport: { request in
        guard request.method == "POST" else { return await standIn.handle(request) }
        // The clock goes on, so that another secret is another text.
        clock.move(to: clock.now + 1)
        let secret = try request.form().requiredValue("client_secret")
        sent.withLock { $0.append(secret) }
        guard refuses.withLock({ $0 }) else { return await standIn.handle(request) }
        return HTTPResponseValue(status: 400, body: Array(#"{"error":"invalid_client"}"#.utf8))
      })
    #expect(await failure { _ = try await client.refresh("r") }?.name == "invalid_client")
    #expect(sent.withLock { Set($0).count == 2 && $0.count == 2 })
    #expect(await failure { try await client.revoke("r", type: .refreshToken) }?.name == "invalid_client")
    #expect(sent.withLock { Set($0).count == 4 && $0.count == 4 })
    let start = try await client.begin()
    let callback = try #require(await standIn.authorize(start.url, decision: .approve(fixture.user)).callback)
    #expect(
      await failure { _ = try await client.finish(callback, handle: start.handle) { _ in } }?.name == "invalid_client")
    #expect(sent.withLock { $0.count == 5 })
    // The next sign-in has a secret of its own.
    refuses.withLock { $0 = false }
    _ = try await signIn(client, standIn, .code, scopes: [])
    #expect(sent.withLock { Set($0).count == 6 && $0.count == 6 })
  }

  @Test func `the form_post page escapes every value`() async throws {
    let page = StandInPage.posting([("state", #""><script>'&"#)], to: "https://www.example.com/cb?a=1&b=2")
    let html = String(decoding: page.body, as: UTF8.self)
    #expect(html.contains(#"value="&quot;&gt;&lt;script&gt;&#39;&amp;""#) && html.contains("a=1&amp;b=2"))
    #expect(
      page.headers.values("Cache-Control").first == "no-store"
        && page.headers.values("Referrer-Policy").first == "no-referrer")
  }

  @Test func `a relay address can be declined, and members of a group agree once`() async throws {
    var app = try fixture.client()
    app.clientID = "com.example.app"
    let standIn = AppleStandIn(
      service: fixture.service, clients: [try fixture.client(), app], signingKey: fixture.serviceKey,
      clock: fixture.clock)
    var open = fixture.user
    open.hidesEmail = false
    let client = try client(standIn)
    let start = try await client.begin(scopes: [.email])
    let answer = await standIn.authorize(start.url, decision: .approve(open))
    guard
      case .signedIn(let signIn) = try await client.finish(
        #require(answer.callback), handle: start.handle, keepingUser: { _ in })
    else {
      return
    }
    #expect(signIn.identity.email == "zoe@example.com" && !signIn.identity.isPrivateEmail)
    let second = try AppleAuthorizationRequest(
      clientID: "com.example.app", redirectURI: fixture.redirectURI(), scopes: [.email])
    let body = try #require(await standIn.authorize(second.url(of: fixture.service), decision: .approve(open)).callback)
      .body
    #expect(try FormBody.parse(body, limit: 9999)["user"] == nil)
  }

  @Test func `the name is handed out before anything can fail`() async throws {
    struct Down: Error {}
    let standIn = try fixture.standIn()
    let isDown = Mutex(true)
    let client = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(), signer: try fixture.signer(),
      transport: { request in
        if isDown.withLock({ $0 }) { throw Down() }
        return await standIn.handle(request)
      })
    let kept = Mutex<AppleUser?>(nil)
    for type in [AppleResponseType.code, .codeAndIdentityToken] {
      await standIn.forget(fixture.user, clientID: Fixture.clientID)
      kept.withLock { $0 = nil }
      let start = try await client.begin(responseType: type, scopes: [.name, .email])
      let callback = try #require(await standIn.authorize(start.url, decision: .approve(fixture.user)).callback)
      let error = await failure {
        _ = try await client.finish(callback, handle: start.handle) { user in kept.withLock { $0 = user } }
      }
      #expect(error?.fault == .unavailable)
      #expect(kept.withLock { $0?.givenName } == "Zoë Ann")
    }
    // A callback that is not this browser's hands out nothing.
    kept.withLock { $0 = nil }
    await standIn.forget(fixture.user, clientID: Fixture.clientID)
    let (start, other) = (try await client.begin(scopes: [.name]), try await client.begin(scopes: [.name]))
    let callback = try #require(await standIn.authorize(start.url, decision: .approve(fixture.user)).callback)
    _ = await failure {
      _ = try await client.finish(callback, handle: other.handle) { user in kept.withLock { $0 = user } }
    }
    #expect(kept.withLock { $0 } == nil)
  }

  @Test func `an identity token that comes with a refresh is verified`() async throws {
    let standIn = try fixture.standIn()
    let key = fixture.serviceKey
    let subject = Mutex("alice")
    let nonce = Mutex<String?>(nil)
    let client = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(), signer: try fixture.signer(),
      transport: { request in
        guard request.url == "https://appleid.apple.com/auth/token" else { return await standIn.handle(request) }
        var claims = Fixture.claimsT
        claims["at_hash"] = nil
        claims["sub"] = .string(subject.withLock { $0 })
        claims["nonce"] = nonce.withLock { $0 }.map { .string($0) }
        let body: JSONObject = [
          "access_token": "a", "token_type": "Bearer", "expires_in": 3600,
          "id_token": .string(try JWT.sign(claims, with: key, type: nil)),
        ]
        return HTTPResponseValue(status: 200, body: body.serialized())
      })
    #expect(try await client.refresh("r", subject: "alice").identity?.subject == "alice")
    #expect(await failure { _ = try await client.refresh("r", subject: "bob") }?.code == .subjectMismatch)
    nonce.withLock { $0 = "another" }
    let known = AppleNonce(unchecked: "mine", form: .exact)
    #expect(await failure { _ = try await client.refresh("r", nonce: known) }?.code == .nonceMismatch)
  }

  @Test func `invisible characters are removed from names`() {
    for text in [
      "Al\u{200B}ice", "\u{FEFF}Alice", "Alice\u{2060}", "Ali\u{00AD}ce", "Al\u{200D}ice", "\u{3164}Alice",
      "Alice\u{E0041}",
    ] {
      #expect(UntrustedText.cleaned(text, maximumLength: 100).unicodeScalars.elementsEqual("Alice".unicodeScalars))
    }
    #expect(UntrustedText.cleaned("\u{200B}\u{3164}\u{2800}", maximumLength: 100).isEmpty)
    // Persian needs the joiner within a word, and not at its end.
    let persian = "\u{645}\u{62D}\u{645}\u{62F}\u{200C}\u{631}\u{636}\u{627}"
    #expect(
      UntrustedText.cleaned(persian + "\u{200C}", maximumLength: 100).unicodeScalars.elementsEqual(
        persian.unicodeScalars))
  }

  @Test func `no description shows a code, a token or a nonce`() throws {
    var text = ""
    dump(AppleTokenEndpoint.Grant.refreshToken("secret"), to: &text)
    dump(AppleTokenEndpoint.Grant.authorizationCode("secret", redirectURI: nil), to: &text)
    dump(AppleIdentityTokenOrigin.tokenResponse(code: "secret", accessToken: "secret"), to: &text)
    let request = try AppleAuthorizationRequest(
      clientID: Fixture.clientID, redirectURI: fixture.redirectURI(), state: "secret-state")
    dump(request, to: &text)
    text += "\(request) \(AppleTokenEndpoint.Grant.refreshToken("secret"))"
    #expect(!text.contains("secret") && !text.contains(request.nonce?.claim ?? "secret"))
  }
}
