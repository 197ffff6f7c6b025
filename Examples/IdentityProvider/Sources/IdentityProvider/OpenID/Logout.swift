import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// Logins end: by the user's wish, by a client's, or by an administrator's.
///
/// Source: OpenID Connect RP-Initiated Logout 1.0, Back-Channel Logout 1.0.
extension Provider {
  func addLogoutRoutes(to router: Router<ProviderContext>) {
    router.get("/logout") { request, _ in
      let asked =
        if let id = (try? query(request))?.values("request").first, let kept = try await keptLogout(id) {
          kept
        } else {
          try await logoutRequest(try await HTTPRequestValue(request, baseURL: settings.issuer))
        }
      return try await logOut(asked, request)
    }
    router.post("/logout") { request, context in
      let asked = try await logoutRequest(try await HTTPRequestValue(request, baseURL: settings.issuer))
      // A form that another site posts comes without the session's cookie; a redirect to this endpoint brings it.
      guard Self.sessionCookie.value(in: request) == nil else { return try await logOut(asked, request) }
      // What is wrong is refused now, and never stored.
      _ = try await decision(asked, session: nil)
      guard try await mayKeep(from: settings.source(of: request, context)) else { throw Self.tooManyKept }
      let waiting = Interaction(asked.form, visit: Interaction.anyBrowser)
      return redirect(to: "/logout?request=\(try await interactions.add(waiting))")
    }
    router.post("/logout/confirm") { request, _ in
      let (form, _) = try await pageForm(request)
      if let login = try await login(of: request) { try await end(login.session, because: "logout") }
      return loggedOut(redirect: try await confirmed(form))
    }
    router.get("/logout/done") { _, _ in Self.farewell() }
  }

  private func logoutRequest(_ request: @autoclosure () async throws -> HTTPRequestValue) async throws -> LogoutRequest
  {
    try await understood { try LogoutRequest(try await request()) }
  }

  /// The request that a form of another site has left, for one use; nil if it is used or has expired. The address that
  /// names it then asks for no more than a link to this endpoint: a user who is still logged in is asked.
  private func keptLogout(_ id: String) async throws -> LogoutRequest? {
    guard let form = try await interactions.interaction(id, visit: Interaction.anyBrowser)?.request,
      try await interactions.remove(id)
    else { return nil }
    return try await logoutRequest(
      HTTPRequestValue(method: "GET", url: settings.issuer + "/logout?" + form.encodedAsQuery()))
  }

  private func decision(
    _ asked: LogoutRequest, session: AuthenticationSession?
  ) async throws -> LogoutPolicy.Decision {
    let provider = try await openID()
    return try await understood { try await provider.decide(asked, session: session) }
  }

  /// Shows a page for a request that can't be read, or must not be done.
  private func understood<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as OpenIDError where error.code != .invalidRequest {
      throw error
    } catch {
      throw PageRefusal(
        code: "invalid_request",
        text: "The app that wanted to log you out has asked in a way that is not right. You were not sent back to it.")
    }
  }

  private func logOut(_ asked: LogoutRequest, _ request: Request) async throws -> Response {
    let login = try await login(of: request)
    switch try await decision(asked, session: login?.session) {
    case .logOut(let redirect):
      if let login { try await end(login.session, because: "client") }
      return loggedOut(redirect: redirect)
    case .nothingToEnd(let redirect):
      guard let redirect else { return Self.farewell() }
      return .redirect(to: redirect)
    case .ask(let redirect):
      let visit = Visit(request)
      return visit.remembered(in: confirmation(visit, redirect: redirect).response())
    }
  }

  /// Asks the user. The address to go on to has been found good, and travels under a seal.
  private func confirmation(_ visit: Visit, redirect: String?) -> Page {
    let sealed = redirect.flatMap { try? seal.seal(Array("logout \($0)".utf8)) } ?? ""
    return Page(
      title: "Log out?", name: "logout",
      body: """
        <form method="post" action="/logout/confirm">\(formField(visit))\(HTML.hidden("next", sealed))\
        <p><button type="submit">Log out</button> <a href="/account">Stay</a></p></form>
        """,
      formsLeadElsewhere: true)
  }

  private func confirmed(_ form: FormFields) async throws -> String? {
    guard let sealed = form.values("next").first, !sealed.isEmpty, let octets = try? seal.open(sealed) else {
      return nil
    }
    let text = String(decoding: octets, as: UTF8.self)
    return text.hasPrefix("logout ") ? String(text.dropFirst(7)) : nil
  }

  private func loggedOut(redirect: String?) -> Response {
    var response = redirect.map { Response.redirect(to: $0) } ?? .redirect(to: "/logout/done")
    Self.sessionCookie.clear(in: &response)
    return response
  }

  private static func farewell() -> Response {
    Page(title: "You are logged out", name: "logged-out", body: "<p><a href=\"/login\">Log in again</a></p>").response()
  }

  // MARK: The end of a session

  /// Ends a session with everything that depends on it, and tells the clients that used it.
  package func end(_ session: AuthenticationSession, because reason: String) async throws {
    let provider = try await openID()
    let messages = try await provider.logoutMessages(of: session)
    try await sessions.end(sessionID: session.id)
    try await browsers.remove(sessionID: session.id)
    try await provider.endSession(session.id)
    await audit.record(.init("session.ended", user: session.userID, detail: reason))
    let sender = try logoutSender(provider)
    // The caller doesn't wait for a client that doesn't answer.
    let telling = Task {
      for delivery in await sender.send(messages) {
        let name = delivery.outcome == .told ? "logout.told" : "logout.notTold"
        await audit.record(.init(name, client: delivery.clientID))
      }
    }
    if settings.awaitsLogoutMessages { await telling.value }
  }

  /// Ends all sessions of a user but one, or those that began by one method (`amr`).
  package func endSessions(
    of userID: String, but kept: String? = nil, begunBy method: String? = nil, because reason: String
  ) async throws {
    for entry in try await browsers.sessions(userID: userID) where entry.id != kept {
      guard let session = try await sessions.session(id: entry.id),
        method.map({ session.authenticationMethods?.contains($0) == true }) ?? true
      else { continue }
      try await end(session, because: reason)
    }
  }

  private func logoutSender(_ provider: OpenIDProvider) throws -> BackChannelLogoutSender {
    var clock = TokenClock.system
    clock.wall = self.clock
    return try BackChannelLogoutSender(issuer: settings.issuer, clock: clock) { id in
      try await provider.signingKey(for: id)
    } transport: { request in
      try await outgoing.send(request)
    }
  }
}
