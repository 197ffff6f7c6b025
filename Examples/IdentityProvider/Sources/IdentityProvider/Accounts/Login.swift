import Hummingbird
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit

/// A user's login in a browser.
package struct Login: Sendable {
  package let user: User
  package let session: AuthenticationSession

  /// Identifies who answers a page: answers from another user or another session are ignored.
  var party: String { "\(user.id) \(session.id)" }
}

extension Provider {
  static let sessionCookie = HostCookie("session")

  var browsers: BrowserSessions {
    BrowserSessions(
      database: database, clock: clock, idleTimeout: settings.sessionIdleTimeout, lifetime: settings.sessionLifetime)
  }

  var interactions: Interactions { Interactions(database: database, clock: clock) }

  /// Whether something waits under a name for the user of a browser: an authorization request, or a login that leads
  /// back to a page.
  func isWaiting(_ id: String, visit: Visit) async throws -> Bool {
    if try await interactions.interaction(id, visit: visit.name) != nil { return true }
    return try await openID().pending(id, visit: visit.name, login: nil) != nil
  }

  var limiter: LoginLimiter { LoginLimiter(database: database, clock: clock) }

  /// The budget of one network, which many people may share: ten times that of one person. Attempts from a blocked
  /// network don't count against its site, or it would lock out the site's other networks.
  func budgets(of source: SourceAddress) -> [LoginLimiter.Budget] {
    source.counted.map { budget("network " + $0.name, times: 10 * $0.share, countsWaiting: $0.share == 1) }
  }

  /// The budget of one person.
  func budget(_ key: String, times factor: Int = 1, countsWaiting: Bool = true) -> LoginLimiter.Budget {
    .init(
      key: key, limit: settings.loginAttemptsPerMinute * factor, interval: settings.loginBlockDuration,
      countsWaiting: countsWaiting)
  }

  /// The login of the browser that sent a request.
  package func login(of request: Request) async throws -> Login? {
    guard let cookie = Self.sessionCookie.value(in: request), let entry = try await browsers.session(cookie: cookie),
      let session = try await sessions.session(id: entry.id), session.isActive,
      let user = try await users.user(id: session.userID), user.isEnabled
    else { return nil }
    return Login(user: user, session: session)
  }

  /// Begins a login in a browser, or renews the existing one, and continues the waiting request.
  ///
  /// - Parameters:
  ///   - user: the user, who is authenticated.
  ///   - methods: the authentication methods (`amr`).
  ///   - start: when the login began, if not now: adding a factor makes a login stronger, but not younger.
  ///   - interactionID: the authorization request or interaction that waits; nil for none.
  package func finishLogin(
    _ user: User, methods: [String], since start: NumericDate? = nil, interactionID: String?, _ request: Request,
    _ context: ProviderContext
  ) async throws -> Response {
    let old = try await login(of: request)
    let level =
      methods.contains("otp") || methods.contains("mfa")
      ? AuthenticationContext.twoFactors : AuthenticationContext.password
    func named(_ id: String) -> AuthenticationSession {
      AuthenticationSession(
        id: id, userID: user.id, authenticatedAt: start ?? clock.now, authenticationContext: level,
        authenticationMethods: methods)
    }
    var renewed: AuthenticationSession?
    if let old {
      if old.user.id == user.id {
        let same = named(old.session.id)
        if try await sessions.renew(same) { renewed = same }
      } else {
        try await end(old.session, because: "anotherUser")
      }
    }
    // Where a logout came first there is no login that a factor could be added to.
    guard renewed != nil || start == nil else { throw Self.interactionOver }
    let session = renewed ?? named(RandomText.make(byteCount: 16))
    if renewed == nil { try await sessions.add(session) }
    let address = settings.source(of: request, context)
    // A new name at each login, so that an attacker who knew the old one gains nothing.
    let cookie = try await browsers.begin(session, address: address.text, agent: request.headers[.userAgent] ?? "")
    // A new password, a new second factor and disabling the user end the sessions afterwards: this one
    // is seen there, or the change here. Apple asks for a second factor itself.
    let isEnough = level == AuthenticationContext.twoFactors || methods.contains("fed")
    guard let now = try await users.user(id: user.id), now.isEnabled, now.storedPassword == user.storedPassword,
      isEnough || !now.hasSecondFactor
    else {
      try await end(session, because: "credentials")
      throw Self.interactionOver
    }
    await audit.record(
      .init("login.succeeded", user: user.id, address: address, detail: methods.joined(separator: " ")))
    // Guesses count in a row, and this login ends the row.
    try await guesses.reopen(user.id)
    let visit = Visit(request)
    var next = "/account"
    if let interactionID {
      if let page = try await interactions.interaction(interactionID, visit: visit.name)?.next { next = page }
      _ = try await interactions.remove(interactionID)
      let pending = try await openID().pending(
        interactionID, visit: visit.name, login: BrowserLogin(session), after: .login)
      if pending != nil { next = "/authorize/resume?request=\(interactionID)" }
    }
    if !visit.isNew, let page = try await pageOfGuesses(user, leadingTo: next, visit) { next = page }
    var response = redirect(to: next)
    Self.sessionCookie.set(cookie, in: &response)
    Self.knownBrowserCookie.set(knownBrowser(of: user), in: &response)
    return response
  }

  /// Shows the login page, and returns to one of the provider's own pages after the login.
  ///
  /// - Parameters:
  ///   - path: the page's path with its query; it begins with a slash.
  ///   - loginHint: fills the field for the user name.
  package func askForLogin(
    _ request: Request, returningTo path: String, loginHint: String? = nil
  ) async throws -> Response {
    let visit = Visit(request)
    var interaction = Interaction(visit: visit.name)
    (interaction.next, interaction.loginHint) = (path, loginHint)
    let id = try await interactions.add(interaction)
    return visit.remembered(in: redirect(to: "/login?request=\(id)"))
  }
}
