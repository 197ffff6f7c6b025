import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// The authorization endpoint: a code for a user who is logged in and has agreed, otherwise a page.
///
/// Source: OpenID Connect Core 1.0 §3.1.2, RFC 9207.
extension Provider {
  func addAuthorizationRoutes(to router: Router<ProviderContext>) {
    for method in [HTTPRequest.Method.get, .post] {
      router.on("/authorize", method: method) { request, context in
        let (visit, source) = (Visit(request), settings.source(of: request, context))
        let login = try await login(of: request)
        let value = try await HTTPRequestValue(request)
        return try await SourceAddress.$ofTokenRequest.withValue(source) {
          let step = try await openID().authorize(
            value, visit: visit.name, login: try await browserLogin(login), from: source.site)
          return visit.remembered(in: try await response(to: step, login, visit))
        }
      }
    }
    router.get("/authorize/resume") { request, context in
      try await resume(try query(request).values("request").first ?? "", request, context, after: .none)
    }
  }

  /// Goes on with a request that waits, once its user has answered a page.
  func resume(
    _ id: String, _ request: Request, _ context: ProviderContext, after page: AnsweredPage
  ) async throws -> Response {
    let (visit, login) = (Visit(request), try await login(of: request))
    return try await SourceAddress.$ofTokenRequest.withValue(settings.source(of: request, context)) {
      let step = try await openID().resume(id, visit: visit.name, login: try await browserLogin(login), after: page)
      return try await response(to: step, login, visit)
    }
  }

  /// A login as the provider judges it: with the kinds of login that its user can reach.
  func browserLogin(_ login: Login?) async throws -> BrowserLogin? {
    guard let login else { return nil }
    var browser = BrowserLogin(login.session)
    // A user with a second factor is asked for it until the code is right, since the login for this request may not
    // have asked for it. One who has passkeys alone logs in once more.
    if login.user.hasSecondFactor {
      browser.addableContexts = [AuthenticationContext.twoFactors]
    } else if try await !passkeys.passkeys(of: login.user.id).isEmpty {
      browser.reachableContexts = [AuthenticationContext.twoFactors]
    }
    return browser
  }

  private func response(to step: AuthorizationStep, _ login: Login?, _ visit: Visit) async throws -> Response {
    switch step {
    case .answer(let response): return Response(response)
    case .goOn(let id): return redirect(to: "/authorize/resume?request=\(id)")
    case .refused(let refusal): return try await errorPage(refusal)
    case .ask(let pending):
      switch pending.decision {
      case .consent: return redirect(to: "/consent?request=\(pending.id)")
      case .stepUp where login?.user.hasSecondFactor == true:
        var waiting = Interaction(visit: visit.name)
        waiting.pendingUser = login?.party
        try await interactions.put(waiting, pending.id)
        return redirect(to: "/login/code?request=\(pending.id)")
      default: return redirect(to: "/login?request=\(pending.id)")
      }
    }
  }

  /// What the user is told where nothing may go back to the client.
  private func errorPage(_ refusal: OAuthAuthorizationRequest.Refusal) async throws -> Response {
    switch refusal.code {
    case "request_expired": throw Self.interactionOver
    case "temporarily_unavailable": throw Self.tooManyKept
    case "invalid_request_uri":
      throw PageRefusal(
        code: refusal.code, text: "The app's request has expired. Go back to the app and try again.")
    default:
      await audit.record(.init("authorize.refused", address: .ofTokenRequest, detail: refusal.code))
      return Page.error(
        "The app that sent you here isn't registered, its redirect address isn't, or its request can't be read. Tell "
          + "the app's maker.", name: refusal.code)
    }
  }

  static var interactionOver: PageRefusal {
    PageRefusal(
      code: "request_expired",
      text: "This login took too long, or began in another browser. Go back to the app and try again.")
  }

  static var tooManyKept: PageRefusal {
    PageRefusal(
      status: .tooManyRequests, code: "temporarily_unavailable",
      text: "Too many logins and logouts were started from your network. Try again in a minute.", retryAfter: 60)
  }

  /// A redirect to another page, or to a client with its answer, which no cache may store.
  package func redirect(to url: String) -> Response {
    var response = Response.redirect(to: url)
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
