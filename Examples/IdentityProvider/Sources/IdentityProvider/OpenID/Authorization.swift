import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit

/// The authorization endpoint: a code for a user who is logged in and has agreed, otherwise a page.
///
/// Source: OpenID Connect Core 1.0 §3.1.2, RFC 9207.
extension Provider {
  func addAuthorizationRoutes(to router: Router<ProviderContext>) {
    router.get("/authorize") { request, context in
      let (fields, isPushed) = try await resolved(try await parameters(of: request))
      let interaction = Interaction(parameters: fields, isPushed: isPushed, visit: Visit(request).name)
      return try await answer(fields, interaction, id: nil, request, context)
    }
    router.post("/authorize") { request, context in
      let fields = try await parameters(of: request)
      // A form that another site posts comes without the session's cookie; a redirect to this endpoint brings it.
      return try await refusing(request, context) {
        let asked = try await resolved(fields)
        _ = try await AuthorizationRequest(asked.fields, isPushed: asked.isPushed, clients: clients)
        let interaction = Interaction(parameters: asked.fields, isPushed: asked.isPushed, visit: "")
        return try await wait("/authorize/resume", interaction, id: nil, request, context)
      }
    }
    router.get("/authorize/resume") { request, context in
      let visit = Visit(request)
      guard let id = try query(request).values("request").first,
        let interaction = try await interactions.interaction(id, visit: visit.name),
        let fields = interaction.request
      else { throw Self.interactionOver }
      return try await answer(fields, interaction, id: id, request, context)
    }
  }

  private func parameters(of request: Request) async throws -> FormFields {
    guard let fields = try? OAuthAuthorizationRequest.parameters(of: try await HTTPRequestValue(request)) else {
      throw PageRefusal(text: "The app's request could not be read. Go back to the app and try again.")
    }
    return fields
  }

  static var interactionOver: PageRefusal {
    PageRefusal(
      code: "request_expired",
      text: "This login took too long, or began in another browser. Go back to the app and try again.")
  }

  /// The parameters in force: those pushed under the given reference, without any others, or those of the request
  /// itself.
  private func resolved(_ fields: FormFields) async throws -> (fields: FormFields, isPushed: Bool) {
    guard let reference = fields.values("request_uri").first,
      reference.hasPrefix("urn:ietf:params:oauth:request_uri:")
    else { return (fields, false) }
    let clientID = fields.values("client_id").first ?? ""
    guard let pushed = try await pushedRequests().take(reference, clientID: clientID) else {
      throw PageRefusal(
        code: "invalid_request_uri", text: "The app's request has expired. Go back to the app and try again.")
    }
    return (pushed, true)
  }

  /// Answers with a code, an error, or the next page.
  private func answer(
    _ fields: FormFields, _ interaction: Interaction, id: String?, _ request: Request, _ context: ProviderContext
  ) async throws -> Response {
    try await refusing(request, context) {
      let asked = try await AuthorizationRequest(fields, isPushed: interaction.isPushed, clients: clients)
      return try await answer(asked, interaction, id: id, request, context)
    }
  }

  /// Turns a refusal into a redirect to the client, or into a page if the client is unknown.
  private func refusing(
    _ request: Request, _ context: ProviderContext, _ body: () async throws -> Response
  ) async throws -> Response {
    do {
      return try await body()
    } catch let refusal as OAuthAuthorizationRequest.Refusal {
      if let url = refusal.answerURL(issuer: settings.issuer) { return redirect(to: url) }
      await audit.record(
        .init("authorize.refused", address: settings.source(of: request, context), detail: refusal.code))
      return Page.error(
        "The app that sent you here isn't registered, or its redirect address isn't. Tell the app's maker.",
        name: refusal.code)
    }
  }

  private func answer(
    _ asked: AuthorizationRequest, _ interaction: Interaction, id: String?, _ request: Request,
    _ context: ProviderContext
  ) async throws -> Response {
    let login = try await login(of: request)
    let granted =
      if let login { try await sessions.grantedScopes(userID: login.user.id, clientID: asked.client.id) } else {
        [String]()
      }
    switch try await decision(asked, interaction, login, granted) {
    case .answer: break
    case .refuse(let refusal): throw refusal
    case .logIn: return try await wait("/login", interaction, id: id, request, context)
    case .stepUp:
      var waiting = interaction
      waiting.pendingUser = login?.party
      if let id { try await interactions.put(waiting, id) }
      let path = login?.user.hasSecondFactor == true ? "/login/code" : "/login"
      return try await wait(path, waiting, id: id, request, context)
    case .consent: return try await wait("/consent", interaction, id: id, request, context)
    }
    guard let login else { throw Self.interactionOver }
    // If two pages continue one request, only one gets a code.
    if let id, try await !interactions.remove(id) { throw Self.interactionOver }
    let code = try await codes.issue(
      AuthorizationCodeGrant(
        asked.parameters, subject: login.user.id, sessionID: login.session.id,
        additionalMembers: [
          "claims": .object(asked.claims.json), "consent": .string(Consent(granted).name ?? ""),
        ]))
    try await browsers.note(client: asked.client.id, sessionID: login.session.id)
    await audit.record(
      .init(
        "authorize.granted", user: login.user.id, client: asked.client.id,
        address: settings.source(of: request, context)))
    return redirect(to: asked.parameters.answerURL(code: code, issuer: settings.issuer))
  }

  /// What is to be done about a request, by the login that is there.
  private func decision(
    _ asked: AuthorizationRequest, _ interaction: Interaction, _ login: Login?, _ granted: [String]
  ) async throws -> AuthorizationDecision {
    guard let login else { return asked.parameters.decision(for: nil, needing: [], at: clock.now) }
    let verifier = JWTVerifier(
      keys: try await keys.snapshot().published, algorithms: KeyRing.algorithms,
      policy: .idTokenHint(issuer: settings.issuer, clock: clock))
    let hinted = asked.parameters.idTokenHint.flatMap { try? verifier.verify($0).registeredClaims.subject }
    var browser = BrowserLogin(login.session)
    (browser.isForThisRequest, browser.agreed) = (interaction.loggedIn == login.party, granted)
    browser.hasAgreedNow = interaction.consented == login.party
    func decision() -> AuthorizationDecision {
      asked.parameters.decision(
        for: browser, hintedSubject: hinted, needing: asked.consents(of: login.user), asksAnew: asked.isImpersonable,
        at: clock.now)
    }
    // A user with a second factor is asked for it until the code is right, since the login for this request may not
    // have asked for it. One who has passkeys alone logs in once more.
    if login.user.hasSecondFactor {
      browser.addableContexts = [AuthenticationContext.twoFactors]
    } else {
      browser.reachableContexts = [AuthenticationContext.twoFactors]
    }
    guard case .stepUp = decision(), !login.user.hasSecondFactor,
      try await passkeys.passkeys(of: login.user.id).isEmpty
    else { return decision() }
    browser.reachableContexts = []
    return decision()
  }

  /// Stores the request until its user has answered a page.
  private func wait(
    _ path: String, _ interaction: Interaction, id: String?, _ request: Request, _ context: ProviderContext
  ) async throws -> Response {
    let visit = Visit(request)
    var name = id
    if name == nil {
      var interaction = interaction
      interaction.visit = visit.name
      name = try await keep(interaction, request, context)
    }
    return visit.remembered(in: .redirect(to: "\(path)?request=\(name ?? "")"))
  }

  /// Stores a request that an unauthenticated client has sent, and returns its name.
  func keep(_ interaction: Interaction, _ request: Request, _ context: ProviderContext) async throws -> String {
    guard try await mayKeep(from: settings.source(of: request, context)) else {
      throw PageRefusal(
        status: .tooManyRequests, code: "temporarily_unavailable",
        text: "Too many logins and logouts were started from your network. Try again in a minute.", retryAfter: 60)
    }
    return try await interactions.add(interaction)
  }

  /// Counts what is stored for an unauthenticated client: a request or a proof. False if its network has reached the
  /// limit.
  func mayKeep(from source: SourceAddress) async throws -> Bool {
    for (name, share) in source.counted {
      let decision = try await database.rateLimits.attempt(
        [RateLimitKey("kept", name)], limit: settings.keptRequestsPerMinute * share, blockDuration: .seconds(60),
        now: clock.now)
      guard decision == .allowed else { return false }
    }
    return true
  }

  /// A redirect to another page, or to a client with its answer, which no cache may store.
  package func redirect(to url: String) -> Response {
    var response = Response.redirect(to: url)
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
