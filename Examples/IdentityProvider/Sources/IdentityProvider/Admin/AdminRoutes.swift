import HTTPTypes
import Hummingbird
import JOSE
import OpenIDKit
import PureCrypto

/// The pages and forms of administrators.
extension Provider {
  func addAdminRoutes(to router: Router<ProviderContext>) {
    router.get("/admin") { _, _ in Response.redirect(to: "/admin/users") }
    page("/admin/users", router, usersPage)
    page("/admin/clients", router, clientsPage)
    page("/admin/devices", router, devicesPage)
    page("/admin/keys", router, keysPage)
    page("/admin/audit", router, auditPage)
    addAdminForms(to: router)
    action("/admin/users/enable", router) { form, login in try await setEnabled(true, form, login) }
    action("/admin/users/disable", router, harm: "All logins of the user end.") { try await setEnabled(false, $0, $1) }
    action("/admin/users/sign-out", router, harm: "All logins of the user end.") { form, login in
      let id = form["user"]
      try await endAll(of: id, because: "administrator", .administrator)
      await audit.record(.init("admin.signedOut", user: id, detail: "by " + login.user.id))
      return "/admin/users"
    }
    action("/admin/clients/enable", router) { form, login in try await setClientEnabled(true, form, login) }
    action("/admin/clients/disable", router, harm: "All logins there end.") {
      try await setClientEnabled(false, $0, $1)
    }
    action("/admin/devices/revoke", router, harm: "All logins of the device end.") { form, login in
      for part in extensions where try await part.revokeDevice(form["device"], of: nil) {
        await audit.record(.init("device.revoked", detail: "by " + login.user.id))
        break
      }
      return "/admin/devices"
    }
    action("/admin/keys/rotate", router, harm: "Clients must have seen the next keys.") { _, login in
      do {
        try await keys.rotate()
      } catch let failure as KeyRing.Failure {
        throw PageRefusal(
          status: .conflict, code: "too_early", text: "The keys can't be rotated now: \(failure.description).")
      }
      await audit.record(.init("keys.rotated", user: login.user.id))
      return "/admin/keys"
    }
  }

  private typealias Act = @Sendable (FormFields, Login) async throws -> String

  func page(
    _ path: RouterPath, _ router: Router<ProviderContext>,
    _ show: @escaping @Sendable (Login, Visit, FormFields) async throws -> Page
  ) {
    router.get(path) { request, _ in
      let (login, visit) = try await mustBeAdmin(request)
      return visit.remembered(in: try await show(login, visit, try query(request)).response())
    }
  }

  /// - Parameter harm: the consequence that can't be undone; the page asks for confirmation before.
  private func action(
    _ path: RouterPath, _ router: Router<ProviderContext>, harm: String? = nil, _ act: @escaping Act
  ) {
    router.post(path) { request, _ in
      let (form, visit) = try await pageForm(request)
      let (login, _) = try await mustBeAdmin(request)
      guard let harm, form.values("sure").isEmpty else { return Response.redirect(to: try await act(form, login)) }
      let fields: [HTML] = form.fields.filter { $0.name != "csrf" }.map { HTML.hidden($0.name, $0.value) }
      return admin(
        "Are you sure?", "confirm", login,
        """
        <p>\(harm)</p><form method="post" action="\(request.uri.path)">\(formField(visit))\(fields)\
        \(HTML.hidden("sure", "yes"))<p><button type="submit">Go on</button> <a href="/admin">Don't</a></p></form>
        """
      ).response()
    }
  }

  /// The administrator whose browser calls an interface for programs. A request that changes something must send a
  /// page's form token in the header `X-Form-Token`, which no other site can send.
  package func mustAdminister(_ request: Request) async throws -> Login {
    guard let login = try await login(of: request) else { throw HTTPError(.unauthorized) }
    guard login.user.isAdmin else {
      await audit.record(.init("admin.refused", user: login.user.id))
      throw HTTPError(.forbidden)
    }
    if request.method != .get {
      let token = HTTPField.Name("X-Form-Token").flatMap { request.headers[$0] } ?? ""
      let visit = Visit(request)
      guard !visit.isNew, ConstantTime.equal(token.utf8, formToken(visit).utf8) else { throw HTTPError(.forbidden) }
    }
    return login
  }

  /// The administrator who requests a page; throws for other users.
  func mustBeAdmin(_ request: Request) async throws -> (Login, Visit) {
    let (login, visit) = try await mustBeLoggedIn(request)
    guard login.user.isAdmin else {
      await audit.record(.init("admin.refused", user: login.user.id))
      throw PageRefusal(status: .forbidden, code: "access_denied", text: "This page is for administrators.")
    }
    return (login, visit)
  }

  private func setEnabled(_ isEnabled: Bool, _ form: FormFields, _ login: Login) async throws -> String {
    let id = form["user"]
    guard id != login.user.id else {
      throw PageRefusal(text: "You can't disable your own account: another administrator can.")
    }
    guard try await users.user(id: id) != nil else {
      throw PageRefusal(text: "This user doesn't exist. Go back and reload the list.")
    }
    try await users.setEnabled(isEnabled, of: id)
    // Two administrators could otherwise disable each other.
    if !isEnabled, try await !users.hasAdministrator() {
      try await users.setEnabled(true, of: id)
      throw PageRefusal(text: "Make another user an administrator first.")
    }
    if !isEnabled { try await endAll(of: id, because: "administrator", .userDisabled) }
    await audit.record(.init(isEnabled ? "user.enabled" : "user.disabled", user: id, detail: "by " + login.user.id))
    return "/admin/users"
  }

  private func setClientEnabled(_ isEnabled: Bool, _ form: FormFields, _ login: Login) async throws -> String {
    let id = form["client"]
    guard try await setEnabled(isEnabled, client: id) else { throw PageRefusal(text: "There is no such client.") }
    await audit.record(.init(isEnabled ? "client.enabled" : "client.disabled", user: login.user.id, client: id))
    return "/admin/clients"
  }
}
