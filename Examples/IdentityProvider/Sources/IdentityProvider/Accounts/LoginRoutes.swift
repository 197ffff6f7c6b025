import Hummingbird
import JOSE
import JOSEHummingbird

/// The login page, and the second factor after it.
extension Provider {
  func addLoginRoutes(to router: Router<ProviderContext>) {
    router.get("/login") { request, _ in try await showLogin(request) }
    router.post("/login") { request, context in try await logIn(request, context) }
    router.post("/login/passkey") { request, context in try await logInByPasskey(request, context) }
    router.get("/login/code") { request, _ in
      let (visit, id) = (Visit(request), try query(request).values("request").first ?? "")
      guard try await interactions.interaction(id, visit: visit.name)?.pendingUser != nil else {
        throw Self.interactionOver
      }
      return codePage(visit, pending: id, problem: nil).response()
    }
    router.post("/login/code") { request, context in try await checkCode(request, context) }
    router.get("/login/told") { request, _ in try await tellOfGuesses(request) }
    router.post("/login/told") { request, _ in try await toldOfGuesses(request) }
  }

  private func showLogin(_ request: Request) async throws -> Response {
    let visit = Visit(request)
    let id = try query(request).values("request").first
    var hint = ""
    if let id {
      let pending = try await openID().pending(id, visit: visit.name, login: nil)
      let interaction = try await interactions.interaction(id, visit: visit.name)
      guard pending != nil || interaction != nil else { throw visit.isNew ? Self.noCookie : Self.interactionOver }
      hint = pending?.request.loginHint ?? interaction?.loginHint ?? ""
    }
    let page = try await loginPage(visit, interactionID: id, username: hint, problem: nil)
    return visit.remembered(in: page.response())
  }

  /// The login page, with or without a waiting request.
  ///
  /// - Parameter asksForCode: whether a second factor can be given together with the password.
  func loginPage(
    _ visit: Visit, interactionID id: String?, username: String, problem: String?, asksForCode: Bool = false
  ) async throws -> Page {
    var purpose: HTML?
    if let id, let pending = try await openID().pending(id, visit: visit.name, login: nil) {
      purpose = "<p>to go on to <strong>\(try await shownApp(pending.client.id).name)</strong></p>"
    }
    let choices: [HTML] = extensions.flatMap(\.loginChoices).map { choice in
      let path = id.map { choice.path + "?request=" + $0 } ?? choice.path
      return "<p><a class=\"choice\" href=\"\(path)\">\(choice.label)</a></p>"
    }
    let isFaulty: HTML = problem == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"problem\""
    let focus: HTML = username.isEmpty ? " autofocus" : ""
    let name = HTML.field(
      "User name", name: "username", value: username, autocomplete: "username",
      more: HTML([isFaulty, focus, " autocapitalize=\"none\" spellcheck=\"false\""]))
    let password = HTML.field(
      "Password", name: "password", type: "password", autocomplete: "current-password", more: isFaulty)
    let code: HTML? =
      asksForCode
      ? HTML.field(
        "Code from your authenticator app, or a recovery code", name: "code", autocomplete: "one-time-code",
        isRequired: false) : nil
    return Page(
      title: "Log in", name: "login",
      body: """
        \(purpose)\(HTML.alert(problem))<form method="post" action="/login">\(formField(visit))\
        \(HTML.hidden("request", id ?? ""))\(name)\(password)\(code)<p><button type="submit">Log in</button></p></form>\
        \(passkeyLoginForm(visit, interactionID: id))\(choices)
        """,
      formsLeadElsewhere: true, script: Page.passkeyScript)
  }

  private func logIn(_ request: Request, _ context: ProviderContext) async throws -> Response {
    let (form, visit) = try await pageForm(request)
    let username = form.values("username").first ?? ""
    let password = form.values("password").first ?? ""
    let id = form.values("request").first.flatMap { $0.isEmpty ? nil : $0 }
    if let id, try await !isWaiting(id, visit: visit) { throw Self.interactionOver }
    let address = settings.source(of: request, context)
    let user: User
    let cookie = Self.knownBrowserCookie.value(in: request)
    let code = form.values("code").first.flatMap { $0.isEmpty ? nil : $0 }
    let verdict = try await context.whileConnected {
      try await checkPassword(password, of: username, from: address, cookie: cookie, after: code)
    }
    switch verdict {
    case .right(let known): user = known
    case .wrong:
      return try await loginPage(
        visit, interactionID: id, username: username,
        problem: "The user name\(code == nil ? "" : ", the code") or the password is wrong.", asksForCode: code != nil
      ).response(.unauthorized)
    case .blocked(let wait, let isOfName):
      var problem = "Too many attempts. Try again in \(wait) seconds."
      if isOfName {
        problem +=
          " You needn't wait with a passkey, with a code of your second factor below, or in a browser where "
          + "you have logged in before. Your administrator can help, too."
      }
      var response = try await loginPage(
        visit, interactionID: id, username: username, problem: problem, asksForCode: isOfName
      ).response(.tooManyRequests)
      response.headers[.retryAfter] = String(wait)
      return response
    }
    if code != nil {
      return try await finishLogin(user, methods: ["pwd", "otp", "mfa"], interactionID: id, request, context)
    }
    guard user.hasSecondFactor else {
      return try await finishLogin(user, methods: ["pwd"], interactionID: id, request, context)
    }
    // The request keeps waiting, and now notes whose second factor is missing.
    var interaction = Interaction(visit: visit.name)
    if let id, let waiting = try await interactions.interaction(id, visit: visit.name) { interaction = waiting }
    interaction.pendingUser = passwordGiven(by: user)
    let pending = id ?? RandomText.make()
    try await interactions.put(interaction, pending)
    return codePage(visit, pending: pending, problem: nil).response()
  }

  private func codePage(_ visit: Visit, pending: String, problem: String?) -> Page {
    let field = HTML.field(
      "Code", name: "code", autocomplete: "one-time-code",
      hint: "Six digits from your app, or one of your recovery codes.",
      more: " inputmode=\"text\" autofocus")
    return Page(
      title: "One more step", name: "totp",
      body: """
        \(HTML.alert(problem))<form method="post" action="/login/code">\(formField(visit))\
        \(HTML.hidden("pending", pending))\(field)<p><button type="submit">Go on</button></p></form>
        """,
      formsLeadElsewhere: true)
  }

  private func checkCode(_ request: Request, _ context: ProviderContext) async throws -> Response {
    let (form, visit) = try await pageForm(request)
    let pending = form.values("pending").first ?? ""
    let login = try await login(of: request)
    guard let waiting = try await interactions.interaction(pending, visit: visit.name)?.pendingUser,
      let userID = waiting.split(separator: " ").first.map(String.init),
      let user = try await users.user(id: userID), user.isEnabled,
      waiting == passwordGiven(by: user) || waiting == login?.party
    else { throw Self.interactionOver }
    let address = settings.source(of: request, context)
    let verdict = try await checkCode(
      form.values("code").first ?? "", of: user, from: address, cookie: Self.knownBrowserCookie.value(in: request))
    switch verdict {
    case .right: break
    case .wrong:
      await audit.record(.init("login.failed", user: userID, address: address, detail: "second factor"))
      return codePage(visit, pending: pending, problem: verdict.problem).response(.unauthorized)
    case .blocked(let wait):
      await audit.record(.init("login.blocked", user: userID, address: address, detail: "second factor"))
      var response = codePage(visit, pending: pending, problem: verdict.problem).response(.tooManyRequests)
      response.headers[.retryAfter] = String(wait)
      return response
    }
    // The code strengthens the existing login, or completes the one that the password began.
    let first = waiting == login?.party ? login?.session : nil
    return try await finishLogin(
      user, methods: (first?.authenticationMethods ?? ["pwd"]) + ["otp", "mfa"], since: first?.authenticatedAt,
      interactionID: pending, request, context)
  }
}
