import IdentityProvider
import JOSE
import PlatformSSOKit

/// A login by a Mac's browser that waits for the user.
struct PendingLogin: Codable, Sendable {
  /// The Mac, by its signing key.
  let key: String
  let state: String
  let scope: String?
  let redirectURI: String
  /// The user whom the Mac expects. Another user may log in instead.
  let loginHint: String?
  /// When the Mac asked.
  let askedAt: NumericDate
}

/// Logins by a Mac's browser (macOS 27): from the Mac's signed request by the provider's own login page back to the
/// Mac.
extension MacEndpoint {
  /// Answers a request that the provider has checked: the browser goes on to a page of its own, by GET, so that it
  /// brings the cookie of the session.
  func begin(_ request: AuthorizationRequest) throws -> HTTPResponseValue {
    let login = PendingLogin(
      key: request.device.signingKey.keyID.description, state: request.parameters.state,
      scope: request.authorizationScope?.purpose, redirectURI: request.parameters.redirectURI,
      // User names are no longer than this.
      loginHint: request.loginHint.flatMap { $0.utf8.count <= 254 ? $0 : nil }, askedAt: host.clock.now)
    let ticket = try tickets.issue(JSONObject(parsing: StrictJSONEncoder().encode(login)))
    let query = FormFields([("login", ticket)]).encodedAsQuery()
    var response = HTTPResponseValue(status: 303)
    try response.headers.append("Location", "\(addresses.issuer)\(MacAddresses.continuation)?\(query)")
    try response.headers.append("Cache-Control", "no-store")
    return response
  }

  func pending(_ ticket: String) -> PendingLogin? {
    tickets.facts(ticket).flatMap { try? StrictJSONDecoder().decode(PendingLogin.self, from: .object($0)) }
  }

  /// The redirect after the user has logged in: back to the Mac, with a code for this user, Mac and state. Nil if the
  /// Mac is not registered any more.
  func callback(
    _ pending: PendingLogin, for userName: String
  ) async throws -> (url: String, device: RegisteredDevice)? {
    let keyID = try KeyIdentifier(parsing: pending.key)
    guard let device = try await host.macs.device(signingKeyID: keyID, tenant: nil),
      let code = try await host.macLogins.makeAuthorizationCode(
        for: userName, on: device, state: pending.state,
        scope: pending.scope.map { AuthorizationScope(purpose: $0) })
    else { return nil }
    let fields = FormFields([("code", code), ("state", pending.state)])
    return ("\(pending.redirectURI)?\(fields.encodedAsQuery())", device)
  }
}
