import Hummingbird
import JOSE
import JOSEHummingbird
import NIOCore
import NativeSSOKit
import OpenIDKit

/// The pages for browsers.
extension ExampleProvider {
  /// The authorization endpoint: the provider says what is to be done.
  func authorize(_ request: Request, from source: String) async throws -> Response {
    let name = visit.value(in: request) ?? RandomNames<String>.make()
    let step = try await provider.authorize(
      try await HTTPRequestValue(request), visit: name, login: try await login(of: request), from: source)
    var response = try Self.response(to: step)
    visit.set(name, in: &response)
    return response
  }

  /// Goes on with a request that waits, once its user has answered a page.
  func resume(
    _ request: Request, _ id: String, login: BrowserLogin? = nil, after page: AnsweredPage
  ) async throws -> Response {
    var current = login
    if current == nil { current = try await self.login(of: request) }
    return try Self.response(
      to: await provider.resume(id, visit: visit.value(in: request) ?? "", login: current, after: page))
  }

  private static func response(to step: AuthorizationStep) throws -> Response {
    switch step {
    case .answer(let response): return Response(response)
    case .goOn(let id): return .redirect(to: "/continue?request=\(id)")
    case .refused(let refusal): throw HTTPError(.badRequest, message: refusal.reason)
    case .ask(let pending):
      guard pending.decision == .consent else { return loginForm(pending) }
      return consentForm(pending)
    }
  }

  /// The login of the browser that sent a request.
  func login(of request: Request) async throws -> BrowserLogin? {
    guard let name = cookie.value(in: request), let id = await browsers.value(name),
      let session = try await sessions.session(id: id), session.isActive,
      try await sessions.isActive(userID: session.userID)
    else { return nil }
    return BrowserLogin(session)
  }

  /// Handles the login form: begins a session, and goes on with the request that waits.
  func logIn(_ request: Request) async throws -> Response {
    guard let form = try? await HTTPRequestValue(request).form(), let user = try? form.requiredValue("user"),
      let id = try? form.requiredValue("request")
    else { throw HTTPError(.badRequest) }
    guard await checkPassword(user, form.values("password").first ?? "") else { throw HTTPError(.forbidden) }
    let session = AuthenticationSession(
      id: RandomNames<String>.make(), userID: user, authenticatedAt: provider.clock.now, authenticationMethods: ["pwd"])
    try await sessions.add(session)
    var response = try await resume(request, id, login: BrowserLogin(session), after: .login)
    cookie.set(await browsers.insert(session.id), in: &response)
    return response
  }

  /// Handles the form on which a user agrees, or doesn't.
  func decide(_ request: Request) async throws -> Response {
    guard let form = try? await HTTPRequestValue(request).form(), let id = try? form.requiredValue("request"),
      let login = try await login(of: request),
      let pending = try await provider.pending(id, visit: visit.value(in: request) ?? "", login: login)
    else { throw HTTPError(.badRequest) }
    guard form.values("decision") == ["allow"] else { return try await resume(request, id, after: .denial) }
    let shown = form.values("session").first ?? ""
    // Another user may have logged in since the page was shown.
    if shown == pending.sessionID {
      try await sessions.grant(
        pending.agreement, userID: login.session.userID, clientID: pending.client.id)
    }
    return try await resume(request, id, after: .consent(sessionID: shown))
  }

  /// A logout that an app begins: the session ends, with every token and device secret that came from it.
  func logOut(_ request: Request) async throws -> Response {
    let login = try await login(of: request)
    guard let asked = try? LogoutRequest(try await HTTPRequestValue(request)),
      let decision = try? await provider.decide(asked, session: login?.session)
    else { throw HTTPError(.badRequest) }
    let location: String?
    switch decision {
    case .logOut(let redirect):
      location = redirect
      if let session = login?.session {
        try await sessions.end(sessionID: session.id)
        try await provider.endSession(session.id)
      }
    case .ask: throw HTTPError(.forbidden)
    case .nothingToEnd(let redirect): location = redirect
    }
    var response = location.map { Response.redirect(to: $0) } ?? Response(status: .noContent)
    if let name = cookie.value(in: request) { await browsers.remove(name) }
    cookie.clear(in: &response)
    return response
  }

  // MARK: Forms

  private static func loginForm(_ pending: PendingAuthorization) -> Response {
    page(
      """
      <!doctype html><title>Log in</title><form method="post" action="/login"><input name="user" autocomplete="username">\
      <input name="password" type="password"><input type="hidden" name="request" value="\(pending.id)"><button>Log in</button></form>
      """)
  }

  private static func consentForm(_ pending: PendingAuthorization) -> Response {
    // Scopes and claims that are asked for are known names, and a client's is the provider's own choice.
    let wishes = (pending.request.scopes + pending.claims).filter { $0.allSatisfy { $0.isLetter || $0 == "_" } }
    return page(
      """
      <!doctype html><title>Allow?</title><form method="post" action="/consent">\(pending.client.id) wants: \
      \(wishes.joined(separator: ", "))<input type="hidden" name="request" value="\(pending.id)">\
      <input type="hidden" name="session" value="\(pending.sessionID ?? "")">\
      <button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>
      """)
  }

  private static func page(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
