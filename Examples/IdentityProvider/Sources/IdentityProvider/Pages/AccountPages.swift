import Hummingbird
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit

/// The pages and forms of users about their own account.
extension Provider {
  func addAccountRoutes(to router: Router<ProviderContext>) {
    router.get("/account") { request, _ in
      let (login, visit) = try await mustBeLoggedIn(request)
      return visit.remembered(in: try await accountPage(login, visit).response())
    }
    action("/account/password", router, changePassword)
    action("/account/second-factor", router, changeSecondFactor)
    action("/account/passkey/add", router, addPasskey)
    action("/account/passkey/remove", router, removePasskey)
    action("/account/session", router) { form, login, request, context in
      guard let session = try await sessions.session(id: form["session"]), session.userID == login.user.id else {
        throw PageRefusal(text: "This login has ended already. Go back and reload the page.")
      }
      try await end(session, because: "user")
      return nil
    }
    action("/account/sign-out-everywhere", router) { form, login, request, context in
      try await endAll(of: login.user.id, because: "everywhere", .sessionEnded)
      return nil
    }
    action("/account/guesses", router) { form, login, request, context in
      try await guesses.told(login.user.id)
      return nil
    }
    action("/account/app", router) { form, login, request, context in
      let client = form["client"]
      try await sessions.grant([], userID: login.user.id, clientID: client, until: clock.now)
      try await refreshTokens.revoke(.subjectAndClient(login.user.id, client), .consentWithdrawn)
      await audit.record(.init("consent.withdrawn", user: login.user.id, client: client))
      return nil
    }
    action("/account/device", router) { form, login, request, context in
      for part in extensions where try await part.revokeDevice(form["device"], of: login.user.id) {
        await audit.record(.init("device.revoked", user: login.user.id, detail: "user"))
        break
      }
      return nil
    }
  }

  /// The action of a form on the account page. It returns the answer, or nil to show the account page.
  typealias Action =
    @Sendable (FormFields, Login, Request, ProviderContext) async throws -> Response?

  func action(_ path: RouterPath, _ router: Router<ProviderContext>, _ act: @escaping Action) {
    router.post(path) { request, context in
      let (form, _) = try await pageForm(request)
      let (login, _) = try await mustBeLoggedIn(request)
      return try await act(form, login, request, context) ?? Response.redirect(to: "/account")
    }
  }

  /// The logged-in user who requests a page. Otherwise it throws an error that leads to the login page.
  func mustBeLoggedIn(_ request: Request) async throws -> (Login, Visit) {
    guard let login = try await login(of: request) else { throw LoginNeeded() }
    return (login, Visit(request))
  }

  /// The navigation links of a page.
  func navigation(_ login: Login) -> [(label: String, path: String)] {
    let own = [(label: "Account", path: "/account")]
    guard login.user.isAdmin else { return own + [("Log out", "/logout")] }
    return own
      + [
        ("Users", "/admin/users"), ("Clients", "/admin/clients"), ("Devices", "/admin/devices"),
        ("Keys", "/admin/keys"), ("Audit log", "/admin/audit"), ("Metrics", "/admin/metrics"), ("Log out", "/logout"),
      ]
  }

  func accountPage(_ login: Login, _ visit: Visit, problem: String? = nil, notice: HTML? = nil) async throws
    -> Page
  {
    let user = login.user
    let logins: [HTML] = try await browsers.sessions(userID: user.id).map { entry in
      let mark: HTML = entry.id == login.session.id ? " <strong>(this one)</strong>" : ""
      return """
        <tr><td>\(entry.agent)\(mark)</td><td>\(entry.address)</td><td>\(Self.text(entry.startedAt))</td><td>\
        \(button("End", "/account/session", [("session", entry.id)], visit))</td></tr>
        """
    }
    let apps: [HTML] = try await agreedApps(user.id).map { app in
      """
      <tr><td>\(app.name)</td><td>\(app.scopes.joined(separator: ", "))</td><td>\
      \(button("Take back", "/account/app", [("client", app.id)], visit))</td></tr>
      """
    }
    var devices: [HTML] = []
    for part in extensions {
      devices += try await part.devices(of: user.id).map { device in
        let stop: HTML? = device.isActive ? button("Remove", "/account/device", [("device", device.id)], visit) : nil
        return
          "<tr><td>\(device.name.visible())</td><td>\(device.kind)</td><td>\(Self.text(device.registeredAt))</td><td>\(stop)</td></tr>"
      }
    }
    let factor: HTML =
      user.hasSecondFactor
      ? """
      <p>A second factor is on.</p><form method="post" action="/account/second-factor">\(formField(visit))\
      \(HTML.hidden("change", "off"))\(HTML.field("Password", name: "password", id: "password-off", type: "password", autocomplete: "current-password"))\
      \(HTML.field("Code from the app, or a recovery code", name: "code", id: "code-off", autocomplete: "one-time-code"))\
      <p><button type="submit" class="second">Turn it off</button></p></form>
      """
      : """
      <p>Logins can also ask for a code from an authenticator app.</p><form method="post" action="/account/second-factor">\
      \(formField(visit))\(HTML.hidden("change", "begin"))<p><button type="submit">Set it up</button></p></form>
      """
    let choices: [HTML] = extensions.flatMap(\.loginChoices).map { choice in
      "<p><a class=\"choice\" href=\"\(choice.path)\">\(choice.label)</a></p>"
    }
    let others: HTML? = choices.isEmpty ? nil : "<h2>Other ways to log in</h2>\(choices)"
    let status: HTML? = notice.map { "<div role=\"status\">\($0)</div>" }
    return Page(
      title: user.displayName, name: "account",
      body: """
        \(HTML.alert(problem))\(status)\(try await guessSection(login, visit))
        <dl><dt>User name</dt><dd>\(user.username)</dd><dt>Email</dt><dd>\(user.email)</dd></dl>
        <h2>Where you are logged in</h2>
        \(HTML.table(["Browser", "Address", "Since", ""], logins))
        <form method="post" action="/account/sign-out-everywhere">\(formField(visit))\
        <p><button type="submit" class="second">Sign out everywhere</button></p></form>
        <h2>Apps</h2>\(HTML.table(["App", "May", ""], apps))
        <h2>Devices</h2>\(HTML.table(["Device", "Kind", "Since", ""], devices))
        <h2>Second factor</h2>\(factor)
        \(try await passkeySection(login, visit))
        \(try await cardSection(login, visit))
        \(others)
        <h2>Password</h2>
        <form method="post" action="/account/password">\(formField(visit))\
        <input type="hidden" name="username" autocomplete="username" value="\(user.username)">\
        \(HTML.field("Current password", name: "password", type: "password", autocomplete: "current-password"))\
        \(HTML.field("New password", name: "new-password", type: "password", autocomplete: "new-password", hint: "At least 15 characters."))\
        <p><button type="submit">Change it</button></p></form>
        """,
      navigation: navigation(login), script: Page.passkeyScript)
  }

  /// The clients that a user has consented to.
  private func agreedApps(_ userID: String) async throws -> [(id: String, name: String, scopes: [String])] {
    var apps = try await clients.clients().map { (id: $0.id, name: $0.name) }
    // Apps that documents make known are in no list but that of their logins.
    let known = Set(apps.map(\.id))
    let others = Set(try await refreshTokens.logins(.subject(userID)).map(\.grant.clientID)).subtracting(known)
    for id in others.sorted() { apps.append((id, try await shownApp(id).name)) }
    var agreed: [(id: String, name: String, scopes: [String])] = []
    for (id, name) in apps {
      let scopes = try await sessions.grantedScopes(userID: userID, clientID: id)
      if !scopes.isEmpty { agreed.append((id, name, scopes.filter { !$0.hasPrefix("consent-name ") })) }
    }
    return agreed
  }

  /// The user as stored now, if the password was entered again; nil if it is wrong. Attempts are counted.
  func confirmedUser(_ form: FormFields, _ login: Login) async throws -> User? {
    let rules = [guessRule("session " + login.session.id, of: login.user, isTold: true)]
    guard try await guesses.attempt(rules) == .allowed else { return nil }
    guard let user = try await user(login.user, provedBy: form["password"]) else { return nil }
    try await guesses.succeeded(rules)
    return user
  }

  private func changePassword(
    _ form: FormFields, _ login: Login, _ request: Request, _ context: ProviderContext
  ) async throws -> Response? {
    let (visit, new) = (Visit(request), form["new-password"])
    guard let user = try await confirmedUser(form, login) else {
      await audit.record(.init("password.refused", user: login.user.id))
      return try await accountPage(login, visit, problem: "The current password is wrong.").response(.forbidden)
    }
    do throws(PasswordRules.Refusal) {
      try PasswordRules.check(new, username: user.username, email: user.email)
    } catch {
      return try await accountPage(login, visit, problem: error.description).response(.badRequest)
    }
    var changed = user
    changed.storedPassword = try await passwords.hash(new)
    do {
      try await users.write(for: user) { [changed] in
        try users.setPassword(changed.storedPassword, of: user.id, in: $0)
      }
    } catch let error as RecordOutcomeUnknown {
      // The answer got lost. The account tells whether the change was made.
      guard try await users.user(id: user.id)?.storedPassword == changed.storedPassword else { throw error }
    }
    try await guesses.reopen(user.id)
    try await endAll(of: user.id, but: login.session.id)
    await audit.record(.init("password.changed", user: user.id, address: settings.source(of: request, context)))
    var page = try await accountPage(
      login, visit, notice: "<p>The password was changed. All other logins have ended.</p>"
    ).response()
    Self.knownBrowserCookie.set(knownBrowser(of: changed), in: &page)
    return page
  }

  /// Ends everything that began with credentials that are no longer valid.
  func endAll(
    of userID: String, but kept: String? = nil, because reason: String = "credentials",
    _ revocation: LogoutReason = .passwordChanged
  ) async throws {
    try await endSessions(of: userID, but: kept, because: reason)
    try await refreshTokens.revoke(.subject(userID), revocation)
    for part in extensions { try await part.credentialsDidChange(of: userID) }
  }

  private func changeSecondFactor(
    _ form: FormFields, _ login: Login, _ request: Request, _ context: ProviderContext
  ) async throws -> Response? {
    let visit = Visit(request)
    switch form.values("change").first {
    case "begin":
      return try await seedPage(RandomText.octets(20), login, visit, problem: nil).response()
    case "on":
      guard let sealed = form.values("seed").first, let seed = try? seal.open(sealed), seed.count == 20 else {
        throw PageRefusal(text: "The form could not be read. Go back, reload the page and try again.")
      }
      guard let user = try await confirmedUser(form, login) else {
        return try await seedPage(seed, login, visit, problem: "The password is wrong.").response(.forbidden)
      }
      if let problem = try await formerFactorProblem(form, "former", user, request, context) {
        return try await seedPage(seed, login, visit, problem: problem).response(.forbidden)
      }
      guard let recovery = try await secondFactors.enable(seed: seed, code: form["code"], of: user) else {
        return try await seedPage(
          seed, login, visit, problem: "This code is wrong. Enter the code that the app shows now."
        ).response(.badRequest)
      }
      try await endSessions(of: user.id, but: login.session.id, because: "credentials")
      await audit.record(.init("secondFactor.on", user: user.id))
      let codes: [HTML] = recovery.map { "<li><code>\($0)</code></li>" }
      return Page(
        title: "The second factor is on", name: "recovery-codes",
        body: """
          <p>If you lose the app, each of these recovery codes works once instead of its code. They are shown only now: keep \
          them apart from your password.</p><ul class="codes">\(codes)</ul>\
          <p data-codes hidden><button type="button" class="second" data-copy>Copy the codes</button> \
          <button type="button" class="second" data-print>Print them</button> <span role="status" data-said></span></p>\
          <p><a href="/account">Done</a></p>
          """,
        navigation: navigation(login), script: "/codes.js"
      ).response()
    case "off":
      guard let user = try await confirmedUser(form, login) else {
        return try await accountPage(login, visit, problem: "The password is wrong.").response(.forbidden)
      }
      if let problem = try await formerFactorProblem(form, "code", user, request, context) {
        return try await accountPage(login, visit, problem: problem).response(.forbidden)
      }
      try await users.write(for: user) { try users.setSecondFactor(nil, of: user.id, in: $0) }
      await audit.record(.init("secondFactor.off", user: user.id))
      return nil
    default: throw PageRefusal(text: "The form could not be read. Go back, reload the page and try again.")
    }
  }

  /// Why the present second factor, if there is one, isn't proved by the form; nil if it is. A stolen session and the
  /// password would otherwise be enough to replace it.
  private func formerFactorProblem(
    _ form: FormFields, _ field: String, _ user: User, _ request: Request, _ context: ProviderContext
  ) async throws -> String? {
    guard user.hasSecondFactor else { return nil }
    let verdict = try await checkCode(
      form[field], of: user, from: settings.source(of: request, context),
      cookie: Self.knownBrowserCookie.value(in: request))
    if case .wrong = verdict {
      await audit.record(.init("secondFactor.refused", user: user.id))
      return "The code of the second factor that is on is wrong, expired or already used. A recovery code does, too."
    }
    return verdict.problem
  }

  /// Shows a new seed. It takes effect when the user enters a code made with it.
  private func seedPage(_ seed: [UInt8], _ login: Login, _ visit: Visit, problem: String?) async throws -> Page {
    let text = OneTimePassword.text(of: seed)
    let label = PathText.encode("\(settings.organizationName):\(login.user.username)")
    let address = "otpauth://totp/\(label)?secret=\(text)&issuer=\(PathText.encode(settings.organizationName))"
    let former: HTML? =
      login.user.hasSecondFactor
      ? HTML.field(
        "Code of the second factor that is on, or a recovery code", name: "former", autocomplete: "one-time-code") : nil
    return Page(
      title: "Set up a second factor", name: "totp-setup",
      body: """
        \(HTML.alert(problem))<p>Open this in an authenticator app, or type the key into it:</p>\
        <p><a href="\(address)">Open the app</a></p><p class="seed"><code data-seed="\(text)">\(text)</code></p>\
        <form method="post" action="/account/second-factor">\(formField(visit))\(HTML.hidden("change", "on"))\
        \(HTML.hidden("seed", try seal.seal(seed)))\
        \(HTML.field("Code from the app", name: "code", autocomplete: "one-time-code", more: " inputmode=\"numeric\""))\
        \(former)\(HTML.field("Password", name: "password", type: "password", autocomplete: "current-password"))\
        <p><button type="submit">Turn it on</button></p></form>
        """,
      navigation: navigation(login))
  }
}
