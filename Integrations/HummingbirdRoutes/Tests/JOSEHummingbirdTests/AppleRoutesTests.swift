import Hummingbird
import HummingbirdTesting
import JOSE
import JOSEHummingbird
import AppleSignInKit
import IdentityTesting
import Synchronization
import Testing

/// A website's Sign in with Apple, over HTTP, with a stand-in for Apple.
@Suite struct AppleRoutesTests {
  private let standIn: AppleStandIn
  private let client: AppleSignInClient
  private let names = Names()
  private let user = AppleStandInUser(
    id: "u", givenName: "Zoë", familyName: "O'Brien", email: "zoe@example.com", hidesEmail: false)

  /// What is kept before anything is asked of Apple, and whether Apple answers.
  private final class Names: Sendable {
    let kept = Mutex<[String]>([])
    let isDown = Mutex(false)
  }

  init() throws {
    let service = AppleService(
      issuer: "https://appleid.apple.com", authorizationURL: "https://appleid.apple.com/auth/authorize",
      tokenURL: "https://appleid.apple.com/auth/token", revocationURL: "https://appleid.apple.com/auth/revoke",
      keysURL: "https://appleid.apple.com/auth/keys", signatureAlgorithmNames: ["ES256"])
    let key = try SigningKey.generate(.es256, keyID: "ABC123DEFG")
    let redirectURI = try AppleRedirectURI("https://www.example.com/apple/callback")
    let standIn = AppleStandIn(
      service: service,
      clients: [
        AppleStandInClient(
          clientID: "com.example.web", teamID: "TEAM123456", redirectURIs: [redirectURI],
          secretKeys: [key.verificationKey])
      ], signingKey: try .generate(.es256, keyID: "APPLE00001"))
    self.standIn = standIn
    let names = names
    client = AppleSignInClient(
      clientID: "com.example.web", redirectURI: redirectURI,
      signer: try AppleClientSecretSigner(key: key, teamID: "TEAM123456", keyID: "ABC123DEFG", service: service)
    ) { request in
      if names.isDown.withLock({ $0 }) { throw RequestNotSent() }
      return await standIn.handle(request)
    }
  }

  private func application() -> some ApplicationProtocol {
    let (router, names) = (Router(), names)
    AppleSignInRoutes(
      client: client, scopes: [.name, .email],
      keepingUser: { user, _ in names.kept.withLock { $0.append(user.givenName ?? "") } }
    ) { outcome, _, _ in
      switch outcome {
      case .signedIn(let signIn): Response(HTTPResponseValue(status: 200, body: Array(signIn.identity.subject.utf8)))
      case .cancelled: Response(status: .noContent)
      }
    }.add(to: router)
    return Application(router: router)
  }

  @Test func `a sign-in goes from the button to a session, in one browser and once`() async throws {
    try await application().test(.live) { http in
      let browser = Visitor(http)
      let start = try await browser.get("/apple/login")
      #expect(start.status == 303 && start.headers.values("Cache-Control") == ["no-store"])
      let cookie = try #require(start.headers.values("Set-Cookie").first)
      #expect(cookie.hasPrefix("__Host-apple-sign-in="))
      for attribute in ["Path=/", "Secure", "HttpOnly", "SameSite=None", "Max-Age=600"] {
        #expect(cookie.contains("; \(attribute)"))
      }
      #expect(!cookie.contains("Domain"))
      let answer = await standIn.authorize(start.location ?? "", decision: .approve(user))
      var callback = try #require(answer.callback)
      callback.url = "/apple/callback"

      // Apple's answer is worth nothing in another browser.
      #expect(try await Visitor(http).send(callback).status == 400)
      let other = Visitor(http)
      _ = try await other.get("/apple/login")
      #expect(try await other.send(callback).status == 400)

      let signedIn = try await browser.send(callback)
      #expect(signedIn.status == 200)
      #expect(String(decoding: signedIn.body, as: UTF8.self) == user.subject(teamID: "TEAM123456"))
      #expect(names.kept.withLock { $0 } == ["Zoë"])
      #expect(signedIn.headers.values("Set-Cookie").first?.contains("Max-Age=0") == true)
      // The cookie has gone, and the answer has served.
      #expect(try await browser.send(callback).status == 400)
      try callback.headers.set("Cookie", cookie)
      #expect(try await Visitor(http).send(callback).status == 400)
    }
  }

  @Test(arguments: [
    "state=x", "state=x&error=user_cancelled_authorize", "state=x&code=y&flag&&", "code=y", "state=%zz",
  ])
  func `what is no answer to a sign-in leaves it waiting`(_ body: String) async throws {
    try await application().test(.live) { http in
      let browser = Visitor(http)
      let start = try await browser.get("/apple/login")
      var stray = HTTPRequestValue.post([:], to: "/apple/callback")
      stray.body = Array(body.utf8)
      for _ in 0..<2 {
        let refused = try await browser.send(stray)
        #expect(refused.status == 400 && refused.headers.values("Set-Cookie").isEmpty)
        #expect(refused.headers.values("Cache-Control") == ["no-store"])
      }
      #expect(names.kept.withLock { $0.isEmpty })

      var callback = try #require(await standIn.authorize(start.location ?? "", decision: .approve(user)).callback)
      callback.url = "/apple/callback"
      // What software on the way adds doesn't matter.
      callback.body += Array("&flag&&x=%E4".utf8)
      let signedIn = try await browser.send(callback)
      #expect(signedIn.status == 200)
      #expect(String(decoding: signedIn.body, as: UTF8.self) == user.subject(teamID: "TEAM123456"))
      let cookies = signedIn.headers.values("Set-Cookie")
      #expect(cookies.count == 1 && cookies.first?.hasPrefix("__Host-apple-sign-in=;") == true)
      #expect(cookies.first?.contains("Max-Age=0") == true)
      #expect(try await browser.send(callback).status == 400)
    }
  }

  @Test func `who cancels is told so, and a name survives when Apple is down`() async throws {
    try await application().test(.live) { http in
      let browser = Visitor(http)
      var callback = try #require(
        await standIn.authorize(try await browser.get("/apple/login").location ?? "", decision: .cancel).callback)
      callback.url = "/apple/callback"
      #expect(try await browser.send(callback).status == 204)

      callback = try #require(
        await standIn.authorize(try await browser.get("/apple/login").location ?? "", decision: .approve(user)).callback
      )
      callback.url = "/apple/callback"
      names.isDown.withLock { $0 = true }
      let failed = try await browser.send(callback)
      #expect(failed.status == 503 && failed.body.isEmpty)
      #expect(names.kept.withLock { $0 } == ["Zoë"])
    }
  }

  @Test(arguments: ["", "state=x", "state=x&code=y", "%", "a=b&a=b"]) func `callbacks that are none`(
    _ body: String
  ) async throws {
    try await application().test(.live) { http in
      let browser = Visitor(http)
      _ = try await browser.get("/apple/login")
      var request = HTTPRequestValue.post([:], to: "/apple/callback")
      request.body = Array(body.utf8)
      #expect(try await browser.send(request).status == 400)
      _ = try await browser.get("/apple/login")
      #expect(try await browser.get("/apple/callback?" + body).status == 400)
    }
  }
}
