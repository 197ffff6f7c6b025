import JOSE
import StrictJSON

/// Logins by a browser (macOS 27): a page for name and password, and the way back to the Mac.
///
/// What a page is for waits among the records under a random name, which the page carries. The first form with that
/// name takes it, so that a password is judged for it once, and a new page has a new name.
struct BrowserLogins {
  private let provider: IdentityProvider
  private let users: any PlatformSSOUsers
  private let form: String

  private static let lifetime = 300.0
  /// Only registered Macs come here, but a page costs them nothing.
  private static let pagesOfDevice = 20
  private static let attempts = 5

  init(_ provider: PlatformSSOProvider, form: String) {
    (self.provider, users, self.form) = (provider.identityProvider, provider.users, form)
  }

  /// The page for a request that the provider has checked. It is good for five minutes.
  func page(for request: AuthorizationRequest) async throws(JOSEError) -> HTTPResponseValue {
    let login = WaitingLogin(
      device: request.device.id, registration: request.device.registrationID ?? "",
      redirectURI: request.parameters.redirectURI, state: request.parameters.state,
      purpose: request.authorizationScope?.purpose, attemptsLeft: Self.attempts)
    return try await page(for: login, userName: request.loginHint ?? "", status: 200)
  }

  /// Checks name and password, and sends the browser back with a code for this user, Mac and state.
  func logIn(_ request: HTTPRequestValue) async throws(JOSEError) -> HTTPResponseValue {
    let form = try PostedForm(request, configuration: provider.configuration)
    guard let name = try form.only("login"), let userName = try form.only("user"),
      let password = try form.only("password"), let login = try await taken(name),
      let device = try await JOSEError.askingStore({
        try await provider.devices.device(id: login.device, tenant: provider.tenant)
      }), device.registrationID.map({ WireName($0) == login.registration }) == true
    else { return Self.page("<p>This page has expired. Begin again at the Mac.</p>", status: 400) }
    let verdict = try await verdict(password, userName, device)
    guard verdict != .wrong else {
      guard login.attemptsLeft > 1 else {
        return Self.page("<p>Wrong name or password. Begin again at the Mac.</p>", status: 401)
      }
      var next = login
      next.attemptsLeft -= 1
      return try await page(for: next, userName: userName, status: 401)
    }
    guard verdict == .accepted else {
      return Self.page("<p>This account can't be used now. Ask your administrator.</p>", status: 403)
    }
    let code = try await JOSEError.askingStore {
      try await provider.logins.makeAuthorizationCode(
        for: userName, on: device, state: login.state, scope: login.purpose.map { AuthorizationScope(purpose: $0) })
    }
    guard let code else {
      return Self.page("<p>This Mac is no longer registered. Register it again.</p>", status: 400)
    }
    let callback = AuthorizationRequest.callbackURL(login.redirectURI, code: code, state: login.state)
    return .unstored(303, mediaType: nil, [("Location", callback)])
  }

  private func verdict(
    _ password: String, _ userName: String, _ device: RegisteredDevice
  ) async throws(JOSEError) -> CredentialVerdict {
    try await JOSEError.askingStore {
      let verdict = try await users.passwordVerdict(password, of: userName, on: device)
      return verdict == .accepted ? try await users.accountVerdict(of: userName, on: device) : verdict
    }
  }

  // MARK: What waits

  private var waiting: OneTimeRecords {
    OneTimeRecords(provider.records, kind: WaitingLogin.kind, clock: provider.clock)
  }

  private func taken(_ name: String) async throws(JOSEError) -> WaitingLogin? {
    guard let document = try await JOSEError.askingStore({ try await waiting.take(name) }) else { return nil }
    guard let login = try? StrictJSONDecoder().decode(WaitingLogin.self, from: document) else {
      throw JOSEError(.storeUnavailable, "the record of a login can't be read")
    }
    return login
  }

  private func page(
    for login: WaitingLogin, userName: String, status: Int
  ) async throws(JOSEError) -> HTTPResponseValue {
    let name = Base64URL.encode(SecretBytes.random(count: 32))
    let now = provider.clock.now
    let index = StoredRecord.Index("registration", Array(login.registration.utf8))
    let isKept = try await JOSEError.askingStore {
      try await waiting.insert(
        StrictJSONEncoder().encode(login), name: name, indexes: [index],
        atMost: RecordQuota(index, limit: Self.pagesOfDevice, now: now), expiresAt: now.advanced(by: Self.lifetime))
    }
    guard isKept else { return .temporarilyUnavailable }
    let note = status == 200 ? "" : "<p>Wrong name or password.</p>\n"
    return Self.page(
      """
      \(note)<form method="post" action="\(form.escapedForHTML)"><input type="hidden" name="login" value="\(name)">
      <label>Name <input name="user" value="\(userName.escapedForHTML)" autocomplete="username"></label>
      <label>Password <input name="password" type="password" autocomplete="current-password"></label>
      <button>Log in</button></form>
      """, status: status)
  }

  private static func page(_ body: String, status: Int) -> HTTPResponseValue {
    .unstored(
      status, mediaType: "text/html; charset=utf-8",
      body: Array("<!doctype html>\n<html lang=\"en\"><title>Log in</title>\n\(body)\n".utf8),
      [("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"), ("Referrer-Policy", "no-referrer")])
  }
}

/// What a page of a login by a browser is for.
private struct WaitingLogin: Codable, Sendable {
  static let kind = StoredRecord.Kind(library: "device-login-page")

  var device: String
  /// The Mac's registration: one that has registered anew must begin again.
  var registration: String
  var redirectURI: String
  var state: String
  /// Of the authorization scope.
  var purpose: String?
  var attemptsLeft: Int
}

extension String {
  /// The text as a value between quotation marks, or between tags.
  fileprivate var escapedForHTML: String {
    var escaped = ""
    for character in unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
