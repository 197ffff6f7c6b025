import Hummingbird
import IdentityProvider
import JOSE
import JOSEHummingbird
import NativeSSOKit
import AppleSignInKit
import SQLStores

/// Sign in with Apple as a way to log in: an Apple Account logs in the user who has linked it. An unlinked one logs in
/// no user.
struct AppleLogins: Sendable {
  /// The path that the login page and the account page link to.
  static let loginPath = "/apple/login"
  private static let startPath = "/apple/start"
  private static let callbackPath = "/apple/callback"
  private static let finishPath = "/apple/finish"
  /// The method (`amr`) of sessions that began with Sign in with Apple.
  private static let method = "fed"
  private static let notificationPath = "/apple/notifications"

  let provider: Provider
  private let client: AppleSignInClient
  private let receiver: AppleNotificationReceiver
  /// The request that waits for a login, and the Apple Account that has just signed in, each in a cookie of this
  /// browser.
  private let waiting: (ticket: Ticket, cookie: HostCookie)
  private let verified: (ticket: Ticket, cookie: HostCookie)

  init(provider: Provider, settings: AppleSettings, secret: [UInt8]) throws {
    self.provider = provider
    let issuer = provider.settings.issuer
    client = AppleSignInClient(
      clientID: settings.clientID, redirectURI: try AppleRedirectURI(issuer + Self.callbackPath),
      signer: try AppleClientSecretSigner(
        key: settings.key, teamID: settings.teamID, keyID: settings.key.keyID ?? "", service: settings.service,
        clock: provider.clock),
      records: provider.database.records, transport: settings.transport)
    receiver = AppleNotificationReceiver(
      verifier: AppleNotificationVerifier(
        audiences: [settings.clientID], service: settings.service, clock: provider.clock),
      keyStore: AppleKeyStore(service: settings.service, clock: provider.clock, transport: settings.transport),
      records: provider.database.records)
    func passed(_ purpose: String, _ cookie: String) throws -> (Ticket, HostCookie) {
      let ticket = try Ticket(purpose, issuer: issuer, secret: secret, lifetime: 900, clock: provider.clock)
      return (ticket, HostCookie(cookie, lifetime: 900))
    }
    waiting = try passed("apple login", "apple-waiting")
    verified = try passed("apple account", "apple-account")
  }

  func addRoutes(to router: Router<ProviderContext>) {
    router.get(RouterPath(Self.loginPath)) { request, _ in try begin(request) }
    AppleSignInRoutes<ProviderContext>(
      client: client, scopes: [.email], loginPath: Self.startPath, callbackPath: Self.callbackPath,
      keepingUser: { _, _ in }
    ) { outcome, request, context in
      try await finish(outcome, source: provider.settings.source(of: request, context))
    }.add(to: router)
    router.get(RouterPath(Self.finishPath)) { request, context in try await logIn(request, context) }
    router.post(RouterPath(Self.notificationPath)) { request, _ in
      Response(
        await receiver.receive(try await HTTPRequestValue(request, baseURL: provider.settings.issuer)) {
          try await provider.database.appleAccounts.account(subject: $0.subject)?.linkedAt
        } act: {
          try await apply($0)
        })
    }
  }

  /// Remembers the waiting request in a cookie, and redirects to Apple.
  private func begin(_ request: Request) throws -> Response {
    var response = provider.redirect(to: Self.startPath)
    let name = (try? FormFields(decoding: Array((request.uri.query ?? "").utf8)))?.values("request").first
    if let name, name.utf8.count <= 200 {
      waiting.cookie.set(try waiting.ticket.issue(["request": .string(name)]), in: &response)
    } else {
      waiting.cookie.clear(in: &response)
    }
    return response
  }

  /// Apple posts its answer from its own site, so the browser leaves the session's cookie out. A redirect to a page of
  /// this provider brings it back.
  private func finish(_ outcome: AppleSignInOutcome, source: SourceAddress) async throws -> Response {
    guard case .signedIn(let signIn) = outcome else {
      await provider.audit.record(.init("apple.cancelled", address: source))
      return .redirect(to: "/login")
    }
    var facts: JSONObject = [
      "sub_apple": .string(signIn.identity.subject), "private": .bool(signIn.identity.isPrivateEmail),
      "vouched": .number(try JSONNumber(signIn.identity.issuedAt.secondsSince1970)),
    ]
    if let email = signIn.identity.email { facts["email"] = .string(email) }
    var response = Response.redirect(to: Self.finishPath)
    verified.cookie.set(try verified.ticket.issue(facts), in: &response)
    return response
  }

  /// Logs in the user who has linked the Apple Account, or links it to the user who is logged in.
  private func logIn(_ request: Request, _ context: ProviderContext) async throws -> Response {
    let source = provider.settings.source(of: request, context)
    guard let text = verified.cookie.value(in: request), let facts = verified.ticket.facts(text),
      let subject = facts["sub_apple"]?.stringValue,
      let vouched = (facts["vouched"]?.numberValue?.double).flatMap({ NumericDate(secondsSince1970: $0) })
    else { throw HTTPError(.badRequest) }
    let login = try await provider.login(of: request)
    let waitingRequest = waiting.cookie.value(in: request).flatMap { waiting.ticket.facts($0) }?["request"]?.stringValue
    let accounts = provider.database.appleAccounts
    let known = try await accounts.account(subject: subject)
    guard let userID = known?.userID ?? login?.user.id else {
      // The user proves with the password, once, that the Apple Account is theirs; from then on the account is enough.
      await provider.audit.record(.init("apple.unknown", address: source))
      return try await provider.askForLogin(request, returningTo: Self.finishPath)
    }
    guard let user = try await provider.users.user(id: userID), user.isEnabled,
      login.map({ $0.user.id.utf8.elementsEqual(userID.utf8) }) ?? true,
      try await accounts.link(
        subject: subject, email: facts["email"]?.stringValue, isPrivateEmail: facts["private"]?.boolValue ?? false,
        at: vouched, to: userID)
    else {
      await provider.audit.record(.init("apple.refused", user: login?.user.id, address: source))
      var response = Response(status: .forbidden)
      verified.cookie.clear(in: &response)
      return response
    }
    var response: Response
    if known == nil { await provider.audit.record(.init("apple.linked", user: userID, address: source)) }
    if login != nil, waitingRequest == nil {
      response = .redirect(to: "/account")
    } else {
      // Apple asks for a second factor itself: a user without one can't sign in with Apple.
      response = try await provider.finishLogin(
        user, methods: [Self.method], interactionID: waitingRequest, request, context)
    }
    verified.cookie.clear(in: &response)
    waiting.cookie.clear(in: &response)
    return response
  }

  // MARK: Notifications

  /// Acts on Apple's notification about an account. It may arrive twice, so every action can be repeated.
  private func apply(_ notification: AppleNotification) async throws {
    let accounts = provider.database.appleAccounts
    let userID = try await accounts.account(subject: notification.subject)?.userID
    switch notification.event {
    case .emailDisabled, .emailEnabled:
      _ = try await accounts.setEmail(
        subject: notification.subject, email: notification.email, isEnabled: notification.event == .emailEnabled)
    case .consentRevoked, .accountDeleted:
      // Sessions that began with the password go on: it is still the user's.
      if let userID { try await provider.endSessions(of: userID, begunBy: Self.method, because: "apple") }
      _ = try await accounts.unlink(subject: notification.subject)
    case .other: break
    }
    await provider.audit.record(.init("apple.notified", user: userID, detail: "\(notification.event)"))
  }
}
