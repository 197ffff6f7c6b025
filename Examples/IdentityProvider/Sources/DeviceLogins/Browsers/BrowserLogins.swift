import GRDBStores
import JOSE
import PlatformSSOKit

/// Logins by a Mac's browser (macOS 27): from the Mac's signed request by the provider's own login page back to the
/// Mac.
struct BrowserLogins: Sendable {
  let issuer: String
  let database: ProviderDatabase
  let tickets: Ticket

  /// Answers a request that the provider has checked: the browser goes on to a page of its own, by GET, so that it
  /// brings the cookie of the session.
  func begin(_ request: AuthorizationRequest) throws -> HTTPResponseValue {
    var facts: JSONObject = [
      "asked_at": .number(JSONNumber(tickets.clock.now.wholeSeconds)),
      "key": .string(request.device.signingKey.keyID.description), "state": .string(request.parameters.state),
      "redirect_uri": .string(request.parameters.redirectURI),
    ]
    if let scope = request.authorizationScope { facts["scope"] = .string(scope.purpose) }
    // Whom the Mac expects. No user has a longer name.
    if let hint = request.loginHint, hint.utf8.count <= 254 { facts["login_hint"] = .string(hint) }
    let query = FormFields([("login", try tickets.issue(facts))]).encodedAsQuery()
    return .seeOther("\(issuer)\(MacAddresses.continuation)?\(query)")
  }

  /// A login that waits for the user.
  struct Pending: Sendable {
    let signingKeyID: KeyIdentifier
    let state: String
    let scope: AuthorizationScope?
    let redirectURI: String
    /// The user whom the Mac expects. Anybody may log in.
    let loginHint: String?
    /// When the Mac asked.
    let askedAt: NumericDate
  }

  func pending(_ ticket: String) -> Pending? {
    guard let facts = tickets.facts(ticket), let key = facts["key"]?.stringValue,
      let keyID = try? KeyIdentifier(parsing: key), let state = facts["state"]?.stringValue,
      let redirectURI = facts["redirect_uri"]?.stringValue, let askedAt = facts["asked_at"]?.numberValue?.int64
    else { return nil }
    return Pending(
      signingKeyID: keyID, state: state,
      scope: facts["scope"]?.stringValue.map { AuthorizationScope(purpose: $0) }, redirectURI: redirectURI,
      loginHint: facts["login_hint"]?.stringValue, askedAt: NumericDate(Int(askedAt)))
  }

  /// Where the browser goes once a user has logged in: back to the Mac, with a code for this user, Mac and state. Nil
  /// if the Mac is not registered any more.
  func callback(_ pending: Pending, for userName: String) async throws -> (url: String, device: RegisteredDevice)? {
    guard let device = try await database.devices.device(signingKeyID: pending.signingKeyID, tenant: nil),
      let code = try await database.deviceLogins().makeAuthorizationCode(
        for: userName, on: device, state: pending.state, scope: pending.scope)
    else { return nil }
    let fields = FormFields([("code", code), ("state", pending.state)])
    return ("\(pending.redirectURI)?\(fields.encodedAsQuery())", device)
  }
}

extension HTTPResponseValue {
  static func seeOther(_ url: String) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: 303)
    try? response.headers.append("Location", url)
    try? response.headers.append("Cache-Control", "no-store")
    return response
  }
}
