import Hummingbird
import IdentityProvider
import JOSE
import JOSEHummingbird
import NIOCore

extension DeviceLogins {
  func addMacRoutes(to router: Router<ProviderContext>) {
    let posts = [
      MacAddresses.registration, MacAddresses.userRegistration, MacAddresses.nonce, MacAddresses.token,
      MacAddresses.key, MacAddresses.authorization,
    ]
    for path in posts { router.post(RouterPath(path)) { try await answer($0, $1) } }
    router.get(RouterPath(MacAddresses.discovery)) { try await answer($0, $1) }
    router.get(RouterPath(MacAddresses.association)) { _, _ in
      Response(HTTPResponseValue.json(try profile.association))
    }
    router.get(RouterPath(MacAddresses.continuation)) { request, context in
      try await goOn(request, source: provider.settings.source(of: request, context))
    }
    router.get("/devices/profile.mobileconfig") { request, context in try await download(request, context) }
  }

  private func answer(_ request: Request, _ context: ProviderContext) async throws -> Response {
    Response(
      await macs.respond(
        to: try await HTTPRequestValue(request, baseURL: provider.settings.issuer), at: request.uri.path,
        source: provider.settings.source(of: request, context)))
  }

  /// The profile, for administrators only: it lets its holder register Macs.
  private func download(_ request: Request, _ context: ProviderContext) async throws -> Response {
    guard let login = try await provider.login(of: request), login.user.isAdmin else { throw HTTPError(.forbidden) }
    await provider.audit.record(
      .init(
        "device.profile.read", user: login.user.id, address: provider.settings.source(of: request, context)))
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/x-apple-aspen-config", .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"profile.mobileconfig\"",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: try profileFile)))
  }

  /// A Mac's browser, before its user has logged in and after.
  private func goOn(_ request: Request, source: SourceAddress) async throws -> Response {
    let query = try? FormFields(decoding: Array((request.uri.query ?? "").utf8))
    guard let ticket = query?.values("login").first, let pending = macs.pending(ticket) else {
      throw HTTPError(.badRequest)
    }
    // A login from before the Mac asked doesn't count: the Mac wants to know who is in front of it now.
    guard let login = try await provider.login(of: request), login.session.authenticatedAt >= pending.askedAt else {
      let path = "\(MacAddresses.continuation)?\(FormFields([("login", ticket)]).encodedAsQuery())"
      return try await provider.askForLogin(request, returningTo: path, loginHint: pending.loginHint)
    }
    guard let (url, device) = try await macs.callback(pending, for: login.user.username) else {
      await provider.audit.record(.init("device.refused", user: login.user.id, address: source, detail: "revoked"))
      throw HTTPError(.forbidden)
    }
    await macs.record("device.browser", login.user.username, device, source)
    return provider.redirect(to: url)
  }
}
