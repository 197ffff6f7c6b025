import HTTPTypes
import Hummingbird
import JOSE
import JOSEHTTP
import JOSEHummingbird
import TokenRefresh

/// The website: a page for strangers, a page for who is logged in, and the ways between.
struct Site: Sendable {
  let party: RelyingParty
  /// Under which address browsers reach it.
  let url: String

  private let logins = Shelf<RelyingParty.PendingLogin>(capacity: 10_000)
  private let visits = Shelf<Visit>(capacity: 10_000)
  private let loginCookie = HostCookie("login", lifetime: 600)
  private let visitCookie = HostCookie("visit")
  private let usedLogoutTokens = JWTMemoryReplayStore()

  init(party: RelyingParty, url: String) {
    self.party = party
    self.url = url
  }

  func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("/") { request, _ in await home(request) }
    router.get("/style.css") { _, _ in Page.style }
    router.get("/login") { _, _ in await logIn() }
    router.get("/callback") { request, _ in await callback(request) }
    router.post("/logout") { request, _ in try await logOut(request) }
    router.post("/backchannel-logout") { request, _ in await endByProvider(request) }
  }

  /// Asks the provider who it is, with a token that is refreshed when it must be: that the user still may is known each
  /// time.
  func home(_ request: Request) async -> Response {
    guard let name = visitCookie.value(in: request), let visit = await visits.value(name) else {
      return page(.stranger)
    }
    do {
      let userinfo = try party.provider.endpoint("userinfo_endpoint")
      let response = try await visit.api.send(HTTPRequestValue(method: "GET", url: userinfo))
      guard response.status == 200 else { return page(.trouble("The provider answers \(response.status).")) }
      let claims = try JSONObject(parsing: response.body)
      guard claims["sub"]?.stringValue == visit.subject else {
        return page(.trouble("The provider speaks of another user."))
      }
      return page(.user(name: claims["name"]?.stringValue ?? visit.subject, email: claims["email"]?.stringValue))
    } catch {
      // A login that has ended is over here, too; a provider that can't be reached ends nothing.
      if case .reauthenticationRequired = await visit.manager.state {
        _ = await visits.take(name)
        return page(.stranger)
      }
      return page(.trouble("The provider can't be reached just now."))
    }
  }

  func logIn() async -> Response {
    guard let (login, url) = try? await party.begin() else {
      return page(.trouble("The provider can't be reached just now."))
    }
    var response = Response.redirect(to: url)
    loginCookie.set(await logins.insert(login), in: &response)
    return response
  }

  /// A login counts for the browser that began it, once.
  func callback(_ request: Request) async -> Response {
    guard let name = loginCookie.value(in: request), let login = await logins.take(name) else {
      return page(.trouble("This browser has begun no login."))
    }
    var response: Response
    do {
      let visit = try await party.finish(login, query: request.uri.query ?? "")
      response = .redirect(to: "/")
      visitCookie.set(await visits.insert(visit), in: &response)
    } catch RelyingParty.Refused.byProvider("access_denied") {
      response = page(.trouble("You have not allowed this site to know who you are."))
    } catch {
      response = page(.trouble("That was no login."))
    }
    loginCookie.clear(in: &response)
    return response
  }

  /// Ends the visit here, the tokens, and then the session at the provider.
  func logOut(_ request: Request) async throws -> Response {
    var response = Response.redirect(to: "/")
    if let name = visitCookie.value(in: request), let visit = await visits.take(name) {
      await visit.manager.logOut()
      if let endpoint = party.provider.optionalEndpoint("end_session_endpoint") {
        let logout = LogoutRequest(
          idTokenHint: visit.idToken, clientID: party.clientID, postLogoutRedirectURI: url + "/")
        response = .redirect(to: try logout.url(of: endpoint))
      }
    }
    visitCookie.clear(in: &response)
    return response
  }

  /// The provider says that a session is over (OpenID Connect Back-Channel Logout).
  func endByProvider(_ request: Request) async -> Response {
    do {
      let form = try await HTTPRequestValue(request).form()
      let token = try form.requiredValue("logout_token")
      let policy = JWTPolicy.logoutToken(issuer: party.provider.issuer, clientID: party.clientID)
      let verifier = try await RemoteJWTVerifier(
        keys: party.provider.keys, algorithms: [.es256, .rs256], policy: policy
      ).verifier(for: token)
      let claims = try await SingleUseJWTVerifier(verifier, replayStore: usedLogoutTokens).verify(token)
      let subject = claims.registeredClaims.subject
      let session = claims.claims["sid"]?.stringValue
      let ended = await visits.takeAll { visit in
        (session == nil || visit.sessionID == session) && (subject == nil || visit.subject == subject)
      }
      for visit in ended { await visit.manager.invalidate(.sessionEnded) }
      return Response(status: .ok, headers: [.cacheControl: "no-store"])
    } catch {
      return Response(status: .badRequest, headers: [.cacheControl: "no-store"])
    }
  }

  private func page(_ content: Page.Content) -> Response {
    Page.response(content, formTargets: party.provider.issuer)
  }
}
