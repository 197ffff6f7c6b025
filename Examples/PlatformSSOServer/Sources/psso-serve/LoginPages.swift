import JOSE
import PlatformSSOKit

/// Logins by a browser (macOS 27): a page for name and password, and the way back to the Mac.
actor LoginPages {
  private struct Pending {
    var request: AuthorizationRequest
    var expiration: NumericDate
  }

  private var pending: [String: Pending] = [:]

  /// The page for a request that the provider has checked. It is valid for five minutes and one login.
  func page(for request: AuthorizationRequest) -> HTTPResponseValue {
    let now = WallClock.system.now
    pending = pending.filter { $0.value.expiration > now }
    // Only registered Macs come here, but a page costs them nothing.
    guard pending.count < 1000 else { return HTTPResponseValue(status: 503) }
    let name = SecretBytes.random(count: 32).withBytes { $0.withUnsafeBytes { Base64URL.encode($0) } }
    pending[name] = Pending(request: request, expiration: now.advanced(by: .seconds(300)))
    return Self.html(
      """
      <form method="post" action="/psso/login"><input type="hidden" name="login" value="\(name)">
      <input name="user" value="\(Self.escaped(request.loginHint ?? ""))" autocomplete="username">
      <input name="password" type="password" autocomplete="current-password"><button>Log in</button></form>
      """)
  }

  /// Checks name and password, and sends the browser back with a code for this user, Mac and state.
  func logIn(
    _ request: HTTPRequestValue, provider: IdentityProvider, users: Users
  ) async throws -> HTTPResponseValue {
    guard let form = try? request.form(), let name = try? form.requiredValue("login"),
      let user = try? form.requiredValue("user"), let password = try? form.requiredValue("password"),
      // One attempt per page: a user who guesses must begin again at the Mac.
      let login = pending.removeValue(forKey: name), login.expiration > WallClock.system.now
    else { return Self.html("<p>This page has expired. Begin again at the Mac.</p>", status: 400) }
    guard users.isPassword(password, of: user) else {
      return Self.html("<p>Wrong name or password. Begin again at the Mac.</p>", status: 401)
    }
    let asked = login.request
    let code = try await provider.logins.makeAuthorizationCode(
      for: user, on: asked.device, state: asked.parameters.state, scope: asked.authorizationScope)
    guard let code else { return Self.html("<p>This Mac is no longer registered. Register it again.</p>", status: 400) }
    var response = HTTPResponseValue(status: 303)
    try response.headers.append("Location", asked.callbackURL(code: code))
    try response.headers.append("Cache-Control", "no-store")
    return response
  }

  private static func html(_ body: String, status: Int = 200) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: status, body: Array("<!doctype html>\n\(body)\n".utf8))
    try? response.headers.append("Content-Type", "text/html; charset=utf-8")
    try? response.headers.append("Cache-Control", "no-store")
    try? response.headers.append("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
    return response
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
