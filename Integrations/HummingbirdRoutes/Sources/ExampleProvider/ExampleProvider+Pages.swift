import Hummingbird
import JOSE
import JOSEHummingbird
import NIOCore
import NativeSSOKit
import OpenIDKit

/// The pages for browsers.
extension ExampleProvider {
  /// The authorization endpoint: a code for a user whose login will do, otherwise a login form.
  func authorize(_ request: Request) async throws -> Response {
    guard var fields = try? OAuthAuthorizationRequest.parameters(of: try await HTTPRequestValue(request)) else {
      throw HTTPError(.badRequest)
    }
    let (clientID, form) = (fields.values("client_id").first ?? "", fields.values("form").last ?? "")
    if let reference = fields.values("request_uri").first {
      // The pushed parameters replace all others. A reference is used once, so a reloaded page must begin again.
      guard let parameters = try await pushed.take(reference, clientID: clientID) else { throw HTTPError(.badRequest) }
      fields = parameters
    }
    do {
      let asked = try await Self.asked(fields, of: native.clients)
      let session = try await session(of: request)
      var login = session.map { BrowserLogin($0) }
      // The form's answer is a login for this very request. There is one way to log in, and no app needs consent.
      let isForThis = await forms.take(form) == session?.id && session != nil
      login?.isForThisRequest = isForThis
      login?.hasAgreedNow = isForThis
      switch asked.decision(for: login, hintedSubject: subject(of: asked.idTokenHint), needing: [], at: clock.now) {
      case .answer: break
      case .refuse(let refusal): throw refusal
      case .logIn, .stepUp, .consent: return Self.form(fields)
      }
      guard let session else { throw HTTPError(.badRequest) }
      let code = try await codes.issue(AuthorizationCodeGrant(asked, subject: session.userID, sessionID: session.id))
      return .redirect(to: asked.answerURL(code: code, issuer: issuer))
    } catch let refusal as OAuthAuthorizationRequest.Refusal {
      // The browser is only redirected to a registered address of the client.
      guard let url = refusal.answerURL(issuer: issuer) else { throw HTTPError(.badRequest) }
      return .redirect(to: url)
    }
  }

  /// The user of an ID token of this provider; nil for any other text.
  private func subject(of hint: String?) -> String? {
    let verifier = JWTVerifier(
      keys: native.keys.verification, algorithms: [native.keys.signing.algorithm],
      policy: .idTokenHint(issuer: issuer, clock: clock))
    return hint.flatMap { try? verifier.verify($0).registeredClaims.subject }
  }

  /// A request whose client and redirect URI are registered.
  static func asked(
    _ fields: FormFields, of clients: any ClientDirectory, isPushed: Bool = false
  ) async throws -> OAuthAuthorizationRequest {
    let client = try await clients.client(id: fields.values("client_id").first ?? "")
    let asked = try OAuthAuthorizationRequest(fields, of: client.map { .init($0) }, isPushed: isPushed)
    guard asked.scopes.contains("openid") else { throw asked.refusal("invalid_scope", "scope must contain openid") }
    return asked
  }

  /// The session of the browser that sent a request.
  func session(of request: Request) async throws -> AuthenticationSession? {
    guard let name = cookie.value(in: request), let id = await browsers.value(name),
      let session = try await sessions.session(id: id), session.isActive,
      try await sessions.isActive(userID: session.userID)
    else { return nil }
    return session
  }

  /// Handles the login form: begins a session, and sends the browser back to its authorization request.
  func logIn(_ request: Request) async throws -> Response {
    guard let form = try await HTTPRequestValue(request).optionalForm, let user = try? form.requiredValue("user") else {
      throw HTTPError(.badRequest)
    }
    guard await checkPassword(user, form.values("password").first ?? "") else { throw HTTPError(.forbidden) }
    let session = AuthenticationSession(
      id: DeviceSecret.random().reveal(), userID: user, authenticatedAt: clock.now, authenticationMethods: ["pwd"])
    try await sessions.add(session)
    let answer: FormFields = ["form": await forms.insert(session.id)]
    var response = Response.redirect(
      to: "/authorize?" + (form.values("query").first ?? "") + "&" + answer.encodedAsQuery())
    cookie.set(await browsers.insert(session.id), in: &response)
    return response
  }

  /// A logout that an app begins: the session ends, with every token and device secret that came from it.
  func logOut(_ request: Request) async throws -> Response {
    let policy = LogoutPolicy(
      issuer: issuer, keys: native.keys.verification, algorithms: [native.keys.signing.algorithm], clock: clock
    ) { [native] id in
      try await native.clients.client(id: id)?.redirectURIs
    }
    let session = try await session(of: request)
    let browser = session.map { LogoutPolicy.BrowserSession(subject: $0.userID, sessionID: $0.id) }
    let location: String?
    let value = try await HTTPRequestValue(request)
    guard let asked = try? LogoutRequest(value), let decision = try? await policy.decide(asked, session: browser) else {
      throw HTTPError(.badRequest)
    }
    switch decision {
    case .logOut(let redirect):
      location = redirect
      if let session {
        try await sessions.end(sessionID: session.id)
        _ = try await native.endSession(session.id)
      }
    case .ask: throw HTTPError(.forbidden)
    case .nothingToEnd(let redirect): location = redirect
    }
    var response = location.map { Response.redirect(to: $0) } ?? Response(status: .noContent)
    if let name = cookie.value(in: request) { _ = await browsers.take(name) }
    cookie.clear(in: &response)
    return response
  }

  private static func form(_ fields: FormFields) -> Response {
    let query = String(decoding: fields.encoded(), as: UTF8.self).replacing("&", with: "&amp;").replacing(
      "\"", with: "&quot;")
    let page = """
      <!doctype html><title>Log in</title><form method="post" action="/login"><input name="user" autocomplete="username">\
      <input name="password" type="password"><input type="hidden" name="query" value="\(query)"><button>Log in</button></form>
      """
    return Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
  }
}

extension HTTPRequestValue {
  fileprivate var optionalForm: FormFields? { try? form() }
}
