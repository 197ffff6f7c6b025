import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// The page on which a user types the code that a device without a browser shows, and says whether it is to be logged
/// in.
///
/// Source: RFC 8628 §3.3, §5.4.
extension Provider {
  func addDeviceRoutes(to router: Router<ProviderContext>) {
    router.get("/device") { request, context in
      let code = try query(request).values("user_code").first ?? ""
      guard let login = try await login(of: request) else {
        guard try await mayKeep(from: settings.source(of: request, context)) else { throw Self.tooManyKept }
        return try await askForLogin(request, returningTo: Self.devicePath(code))
      }
      let visit = Visit(request)
      return visit.remembered(in: codePage(login, visit, code).response())
    }
    router.post("/device") { request, context in
      let (form, visit) = try await pageForm(request)
      let (login, _) = try await mustBeLoggedIn(request)
      let device = try await device(form, login, settings.source(of: request, context))
      return try await page(about: device, login, visit, request)
    }
    router.post("/device/answer") { request, context in try await answerDevice(request, context) }
  }

  /// The page's address with a code, which is no longer than this.
  private static func devicePath(_ code: String) -> String {
    guard (1...32).contains(code.utf8.count) else { return "/device" }
    return "/device?" + FormFields([("user_code", code)]).encodedAsQuery()
  }

  /// - Parameter code: as a link has brought it, to save typing. It is looked up once the user sends it.
  private func codePage(_ login: Login, _ visit: Visit, _ code: String) -> Page {
    let field = HTML.field(
      "Code", name: "user_code", value: code.utf8.count > 32 ? "" : code,
      hint: "Eight letters, as the device shows them.",
      more: " autocapitalize=\"characters\" spellcheck=\"false\" autofocus")
    return Page(
      title: "Log in a device", name: "device",
      body: """
        <p>Type the code of a device that is in front of you, and none that came by telephone or in a message.</p>
        <form method="post" action="/device">\(formField(visit))\(field)\
        <p><button type="submit">Go on</button></p></form>
        """,
      navigation: navigation(login))
  }

  /// The device that shows the code of a form.
  private func device(
    _ form: FormFields, _ login: Login, _ source: SourceAddress
  ) async throws -> PendingDevice {
    guard let browser = try await browserLogin(login) else { throw LoginNeeded() }
    do {
      let found = try await SourceAddress.$ofTokenRequest.withValue(source) {
        try await openID().device(showing: form["user_code"], login: browser, from: source.network)
      }
      if let found { return found }
    } catch let error as OpenIDError where error.code == .tooManyRequests {
      let wait = error.retryAfter.map { Int($0.components.seconds) } ?? 60
      throw PageRefusal(
        status: .tooManyRequests, code: "too_many_codes",
        text: "Too many codes were typed that no device shows. Try again in \((wait + 59) / 60) minutes.",
        retryAfter: wait)
    }
    throw PageRefusal(
      code: "unknown_code",
      text: "No device shows this code, or its time is over. Go back and type the code that the device shows now.")
  }

  /// Asks about a device, or for the stronger login that its client needs.
  private func page(
    about device: PendingDevice, _ login: Login, _ visit: Visit, _ request: Request
  ) async throws -> Response {
    let pending = device.pending
    switch pending.decision {
    case .consent, .answer: break
    case .stepUp where login.user.hasSecondFactor:
      var waiting = Interaction(visit: visit.name)
      (waiting.pendingUser, waiting.next) = (login.party, Self.devicePath(device.userCode))
      return redirect(to: "/login/code?request=\(try await interactions.add(waiting))")
    case .stepUp, .logIn: return try await askForLogin(request, returningTo: Self.devicePath(device.userCode))
    case .refuse:
      throw PageRefusal(
        status: .forbidden, code: "stronger_login_needed",
        text: "This app needs a login with two factors. Set up a second one on your account page first.")
    }
    let app = try await shownApp(pending.client.id)
    let scopes: [HTML] = pending.request.scopes.map { "<li>\(Scopes.explanation($0))</li>" }
    return Page(
      title: "Log in this device?", name: "device-question",
      body: """
        <p>You are logged in as <strong>\(login.user.displayName)</strong>. A device with <strong>\(app.name)</strong> asks to:</p>
        <ul>\(scopes)</ul>
        <dl><dt>It shows</dt><dd><code>\(device.userCode)</code></dd><dt>It asked from</dt><dd>\(device.source)</dd>\
        <dt>At</dt><dd>\(Self.text(device.startedAt))</dd></dl>
        <p>Is the device in front of you, and does it show this code? Its holder will be logged in as you.</p>
        <form method="post" action="/device/answer">\(formField(visit))\(HTML.hidden("user_code", device.userCode))\
        \(HTML.hidden("session", login.session.id))\
        <p class="buttons"><button type="submit" name="decision" value="allow">Log it in</button> \
        <button type="submit" name="decision" value="deny">Refuse</button></p></form>
        """
    ).response()
  }

  private func answerDevice(_ request: Request, _ context: ProviderContext) async throws -> Response {
    let (form, _) = try await pageForm(request)
    let (login, _) = try await mustBeLoggedIn(request)
    let source = settings.source(of: request, context)
    // A user who has logged in since the page was shown hasn't seen it.
    guard form.values("session") == [login.session.id], let browser = try await browserLogin(login) else {
      return redirect(to: Self.devicePath(form["user_code"]))
    }
    let pending = try await device(form, login, source).pending
    let isAllowed = form["decision"] == "allow"
    if isAllowed {
      try await sessions.grant(
        pending.agreement, userID: login.user.id, clientID: pending.client.id,
        until: clock.now.advanced(by: .seconds(settings.consentLifetime)))
    }
    let isNoted = try await SourceAddress.$ofTokenRequest.withValue(source) {
      try await openID().answerDevice(
        pending.id, login: browser, after: isAllowed ? .consent(sessionID: login.session.id) : .denial)
    }
    guard isNoted else {
      throw PageRefusal(
        code: "device_over", text: "The device doesn't wait any more. Begin again on the device.")
    }
    await audit.record(
      .init(
        isAllowed ? "device.allowed" : "device.denied", user: login.user.id, client: pending.client.id, address: source)
    )
    let text: HTML =
      isAllowed
      ? "<p>The device is logged in, and goes on by itself. You can end that on your account page.</p>"
      : "<p>The device was not logged in. If the code came to you in a message, tell your administrator.</p>"
    return Page(
      title: isAllowed ? "Done" : "Refused", name: isAllowed ? "device-allowed" : "device-denied",
      body: "<div role=\"status\">\(text)</div>", navigation: navigation(login)
    ).response()
  }
}
