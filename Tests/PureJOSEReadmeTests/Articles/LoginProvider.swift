import JOSE
import OpenIDKit

/// An OpenID provider with a login page, behind any HTTP server: it takes a request and gives a response.
struct LoginProvider {
  let provider: OpenIDProvider
  let sessions: SessionRecords
  /// Signs the cookie of a login. The session's own name stands in tokens, so it is no secret.
  let cookieKey: SigningKey
  let isPassword: @Sendable (_ password: String, _ user: String) async -> Bool

  /// - Parameters:
  ///   - key, refreshKey, cookieKey: for tokens, for refresh tokens (32 octets), for cookies (HS256). All machines have
  ///     the same.
  ///   - clients: apps of your own, which need no consent.
  ///   - records: the database.
  init(
    issuer: String, key: SigningKey, refreshKey: [UInt8], cookieKey: SigningKey, clients: [RegisteredClient],
    records: any RecordStore, isPassword: @escaping @Sendable (_ password: String, _ user: String) async -> Bool
  ) throws {
    sessions = SessionRecords(records: records)
    provider = try OpenIDProvider(
      issuer: issuer, keys: IssuerKeys(signing: key), clients: StaticClientDirectory(clients), sessions: sessions,
      refreshTokens: RefreshTokenFormat(key: refreshKey), records: records)
    (self.cookieKey, self.isPassword) = (cookieKey, isPassword)
  }

  func respond(to request: HTTPRequestValue, from address: String) async throws -> HTTPResponseValue {
    if let response = await provider.respond(to: request, from: address) { return response }
    let visit = cookie("visit", of: request) ?? Self.randomName()
    var cookies = ["visit": visit]
    let step: AuthorizationStep
    switch request.url.dropFirst(provider.issuer.count).prefix(while: { $0 != "?" }) {
    case "/authorize":
      step = try await provider.authorize(request, visit: visit, login: login(of: request), from: address)
    case "/continue":
      let id = request.url.split(separator: "=").last.map(String.init) ?? ""
      step = try await provider.resume(id, visit: visit, login: login(of: request), after: .none)
    case "/login":
      let form = try request.form()
      let (id, user) = (try form.requiredValue("request"), try form.requiredValue("user"))
      guard await isPassword(try form.requiredValue("password"), user) else { return Self.loginPage(id, status: 401) }
      let session = AuthenticationSession(id: Self.randomName(), userID: user, authenticatedAt: provider.clock.now)
      try await sessions.add(session)
      let ticket = JWTClaims(
        issuer: provider.issuer, audience: "login", subject: session.id, lifetime: .seconds(86_400))
      cookies["login"] = try JWT.sign(ticket, with: cookieKey)
      step = try await provider.resume(id, visit: visit, login: BrowserLogin(session), after: .login)
    default: return HTTPResponseValue(status: 404)
    }
    var response: HTTPResponseValue
    switch step {
    case .answer(let answer): response = answer
    case .ask(let pending): response = Self.loginPage(pending.id, status: 200)
    case .refused(let refusal): response = HTTPResponseValue(status: 400, body: Array(refusal.reason.utf8))
    case .goOn(let id):
      response = HTTPResponseValue(status: 303)
      try response.headers.set("Location", "/continue?request=" + id)
    }
    for (name, value) in cookies {
      try response.headers.append("Set-Cookie", "__Host-\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax")
    }
    return response
  }

  private func login(of request: HTTPRequestValue) async throws -> BrowserLogin? {
    let verifier = JWTVerifier(key: cookieKey.verificationKey, issuer: provider.issuer, audience: "login")
    guard let ticket = cookie("login", of: request), let id = try? verifier.verify(ticket).registeredClaims.subject
    else { return nil }
    return try await sessions.session(id: id).map { BrowserLogin($0) }
  }

  private func cookie(_ name: String, of request: HTTPRequestValue) -> String? {
    let pairs = request.headers.values("Cookie").flatMap { $0.split(separator: ";") }
    let start = "__Host-\(name)="
    return pairs.map { $0.drop { $0 == " " } }.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
  }

  private static func randomName() -> String { Base64URL.encode((0..<32).map { _ in .random(in: .min ... .max) }) }

  private static func loginPage(_ id: String, status: Int) -> HTTPResponseValue {
    let form = """
      <form method="post" action="/login"><input name="user"><input name="password" type="password">\
      <input type="hidden" name="request" value="\(id)"><button>Log in</button></form>
      """
    return HTTPResponseValue(status: status, body: Array(form.utf8))
  }
}
