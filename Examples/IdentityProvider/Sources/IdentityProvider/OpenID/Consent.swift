import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// The page on which a user agrees to what a client asks for.
extension Provider {
  func addConsentRoutes(to router: Router<ProviderContext>) {
    router.get("/consent") { request, _ in
      let visit = Visit(request)
      let id = try query(request).values("request").first ?? ""
      let (asked, login) = try await waiting(id, visit, request)
      return consentPage(asked, login, id: id, visit).response()
    }
    router.post("/consent") { request, context in try await decide(request, context) }
  }

  /// The waiting request, and the login of the user who is asked.
  private func waiting(
    _ id: String, _ visit: Visit, _ request: Request
  ) async throws -> (AuthorizationRequest, Login) {
    guard let interaction = try await interactions.interaction(id, visit: visit.name),
      let fields = interaction.request, let login = try await login(of: request),
      let asked = try? await AuthorizationRequest(fields, isPushed: interaction.isPushed, clients: clients)
    else { throw Self.interactionOver }
    return (asked, login)
  }

  private func consentPage(_ asked: AuthorizationRequest, _ login: Login, id: String, _ visit: Visit) -> Page {
    let scopes: [HTML] = asked.parameters.scopes.map { "<li>\(Scopes.explanation($0))</li>" }
    let claims: [HTML] = asked.claimsToAgree(of: login.user).map { "<li>See your <code>\($0)</code></li>" }
    return Page(
      title: "Allow \(asked.client.name)?", name: "consent",
      body: """
        <p>You are logged in as <strong>\(login.user.displayName)</strong>. <strong>\(asked.client.name)</strong> wants to:</p>
        <ul>\(scopes)\(claims)</ul>
        <p class="quiet">This is valid for \(max(1, Int(settings.consentLifetime / 86_400))) days, or until you take it back on your account page.</p>
        <form method="post" action="/consent">\(formField(visit))\(HTML.hidden("request", id))\
        \(HTML.hidden("session", login.session.id))\
        <p class="buttons"><button type="submit" name="decision" value="allow">Allow</button> \
        <button type="submit" name="decision" value="deny" class="second">Deny</button></p></form>
        """,
      formsLeadElsewhere: true)
  }

  private func decide(_ request: Request, _ context: ProviderContext) async throws -> Response {
    let (form, visit) = try await pageForm(request)
    let id = form.values("request").first ?? ""
    let (asked, login) = try await waiting(id, visit, request)
    // A user who has logged in since the page was shown hasn't seen it.
    guard form.values("session") == [login.session.id] else { return .redirect(to: "/consent?request=\(id)") }
    let address = settings.source(of: request, context)
    guard form.values("decision").first == "allow" else {
      _ = try await interactions.remove(id)
      await audit.record(.init("consent.denied", user: login.user.id, client: asked.client.id, address: address))
      let refusal = asked.parameters.refusal("access_denied", "The user denied the request")
      return redirect(to: refusal.answerURL(issuer: settings.issuer) ?? "/")
    }
    let before = try await sessions.grantedScopes(userID: login.user.id, clientID: asked.client.id)
    let new = asked.consents(of: login.user).filter { !before.contains($0) }
    // Each consent has a name of its own, a word that no scope can be.
    let all = (before.isEmpty ? [Consent.newName()] : before) + new
    try await sessions.grant(
      all, userID: login.user.id, clientID: asked.client.id,
      until: clock.now.advanced(by: .seconds(settings.consentLifetime)))
    guard var interaction = try await interactions.interaction(id, visit: visit.name) else {
      throw Self.interactionOver
    }
    interaction.consented = login.party
    try await interactions.put(interaction, id)
    await audit.record(
      .init(
        "consent.given", user: login.user.id, client: asked.client.id, address: address,
        detail: asked.parameters.scopes.joined(separator: " ")))
    return .redirect(to: "/authorize/resume?request=\(id)")
  }
}

/// What a user has agreed to at a client.
struct Consent {
  private let granted: [String]

  init(_ granted: [String]) { self.granted = granted }

  /// Its name, for tokens that are issued under it: what is given anew doesn't revive tokens of before. Dates would not
  /// tell, for the machines that write them have different clocks.
  var name: String? { granted.first { $0.hasPrefix("consent-name ") } }

  /// Whether it covers what a client was granted, now: it may have been taken back. `device_sso` has no consent where
  /// it comes of a device secret.
  func covers(_ scopes: [String]) -> Bool {
    scopes.allSatisfy { granted.contains($0) || $0 == "device_sso" }
  }

  /// Whether it covers a claim that was asked for by its name.
  func covers(claim name: String) -> Bool { granted.contains(Self.text(ofClaim: name)) }

  /// The claims that it covers by their names.
  var claims: [String] {
    granted.filter { $0.hasPrefix(Self.claimPrefix) }.map { String($0.dropFirst(Self.claimPrefix.count)) }
  }

  static func text(ofClaim name: String) -> String { claimPrefix + name }

  private static let claimPrefix = "claim:"

  static func newName() -> String { "consent-name \(RandomText.make(byteCount: 12))" }
}

extension SessionRecords {
  /// A user's consent for a client, which may cover nothing.
  func consent(of userID: String, at clientID: String) async throws -> Consent {
    Consent(try await grantedScopes(userID: userID, clientID: clientID))
  }
}
