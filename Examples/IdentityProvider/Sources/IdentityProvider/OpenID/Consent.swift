import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// The page on which a user agrees to what a client asks for.
extension Provider {
  func addConsentRoutes(to router: Router<ProviderContext>) {
    router.get("/consent") { request, _ in
      let visit = Visit(request)
      let (pending, login) = try await asked(try query(request).values("request").first ?? "", visit, request)
      return try await consentPage(pending, login, visit).response()
    }
    router.post("/consent") { request, context in try await decide(request, context) }
  }

  /// The waiting request, and the login of the user who is asked.
  private func asked(
    _ id: String, _ visit: Visit, _ request: Request
  ) async throws -> (PendingAuthorization, Login) {
    guard let login = try await login(of: request),
      let pending = try await openID().pending(id, visit: visit.name, login: try await browserLogin(login))
    else { throw Self.interactionOver }
    return (pending, login)
  }

  private func consentPage(_ pending: PendingAuthorization, _ login: Login, _ visit: Visit) async throws -> Page {
    let app = try await shownApp(pending.client.id)
    let scopes: [HTML] = pending.request.scopes.map { "<li>\(Scopes.explanation($0))</li>" }
    let claims: [HTML] = pending.claims.map { "<li>See your <code>\($0)</code></li>" }
    return Page(
      title: "Allow \(app.name)?", name: "consent",
      body: """
        <p>You are logged in as <strong>\(login.user.displayName)</strong>. <strong>\(app.name)</strong> wants to:</p>
        <ul>\(scopes)\(claims)</ul>\(app.warning)
        <p class="quiet">This is valid for \(max(1, Int(settings.consentLifetime / 86_400))) days, or until you take it back on your account page.</p>
        <form method="post" action="/consent">\(formField(visit))\(HTML.hidden("request", pending.id))\
        \(HTML.hidden("session", login.session.id))\
        <p class="buttons"><button type="submit" name="decision" value="allow">Allow</button> \
        <button type="submit" name="decision" value="deny" class="second">Deny</button></p></form>
        """,
      formsLeadElsewhere: true)
  }

  private func decide(_ request: Request, _ context: ProviderContext) async throws -> Response {
    let (form, visit) = try await pageForm(request)
    let id = form.values("request").first ?? ""
    let (pending, login) = try await asked(id, visit, request)
    // A user who has logged in since the page was shown hasn't seen it.
    guard form.values("session") == [login.session.id] else { return .redirect(to: "/consent?request=\(id)") }
    let address = settings.source(of: request, context)
    guard form.values("decision").first == "allow" else {
      let response = try await resume(id, request, context, after: .denial)
      await audit.record(.init("consent.denied", user: login.user.id, client: pending.client.id, address: address))
      return response
    }
    try await sessions.grant(
      pending.agreement, userID: login.user.id, clientID: pending.client.id,
      until: clock.now.advanced(by: .seconds(settings.consentLifetime)))
    await audit.record(
      .init(
        "consent.given", user: login.user.id, client: pending.client.id, address: address,
        detail: pending.request.scopes.joined(separator: " ")))
    return try await resume(id, request, context, after: .consent(sessionID: login.session.id))
  }

  /// What pages call an app. One that is known by its document is called by the document's host first, for that is what
  /// the document proves; its name is its own choice.
  func shownApp(_ id: String) async throws -> (name: String, warning: HTML?) {
    if let client = try await clients.enabledClient(id: id) { return (client.name, nil) }
    guard let document = try await documents?.document(id: id) else { return (id, nil) }
    let warning: HTML? =
      document.isLoopbackOnly
      ? """
      <p role="note">This app runs on your own machine, where another program can pretend to be it. Go on only if you
      have just started it yourself.</p>
      """ : nil
    return ("\(document.host) (“\(document.name)”)", warning)
  }
}
