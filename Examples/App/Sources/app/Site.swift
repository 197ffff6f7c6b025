import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// The website: a page for strangers, a page for users, login and logout.
struct Site: Sendable {
  let client: OpenIDClient
  /// The site's address for browsers.
  let url: String

  private let cards: CardDesk
  private let logins = Shelf<OpenIDClient.PendingLogin>(capacity: 10_000)
  private let visits: Shelf<OpenIDClient.Login>
  private let logouts: BackChannelLogoutEndpoint
  private let loginCookie = HostCookie("login", lifetime: 600)
  private let visitCookie = HostCookie("visit")

  init(client: OpenIDClient, provider: Provider, url: String) throws {
    cards = try CardDesk(provider: provider, site: url)
    self.client = client
    self.url = url
    let visits = Shelf<OpenIDClient.Login>(capacity: 10_000)
    self.visits = visits
    logouts = BackChannelLogoutEndpoint(for: client) { logout in
      let ended = await visits.takeAll { logout.ends(subject: $0.subject, sessionID: $0.sessionID) }
      for visit in ended { await visit.manager.invalidate(.sessionEnded) }
    }
  }

  func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("/") { request, _ in await home(request) }
    router.get("/style.css") { _, _ in Page.style }
    router.get("/login") { _, _ in await logIn() }
    router.get("/callback") { request, _ in await callback(request) }
    router.get("/card") { _, _ in await askForCard() }
    router.post("/card") { request, _ in page(await cards.look(at: request)) }
    router.post("/logout") { request, _ in try await logOut(request) }
    router.post("/backchannel-logout") { request, _ in try await endByProvider(request) }
  }

  /// Asks the provider for the user's claims, with a token that is refreshed when needed, so each visit checks that the
  /// user still may log in.
  func home(_ request: Request) async -> Response {
    guard let name = visitCookie.value(in: request), let visit = await visits.value(name) else {
      return page(.stranger)
    }
    do {
      let claims = try await visit.userInfo()
      return page(.user(name: claims["name"]?.stringValue ?? visit.subject, email: claims["email"]?.stringValue))
    } catch {
      // A login that has ended at the provider ends here too; an unreachable provider ends nothing.
      if case .reauthenticationRequired = await visit.manager.state {
        _ = await visits.take(name)
        return page(.stranger)
      }
      return page(.trouble("The provider can't be reached right now. Try again later."))
    }
  }

  func logIn() async -> Response {
    guard let (login, url) = try? await client.begin() else {
      return page(.trouble("The provider can't be reached right now. Try again later."))
    }
    var response = Response.redirect(to: url)
    loginCookie.set(await logins.insert(login), in: &response)
    return response
  }

  /// Finishes a login once, and only in the browser that began it.
  func callback(_ request: Request) async -> Response {
    guard let name = loginCookie.value(in: request), let login = await logins.value(name) else {
      return page(.trouble("This browser has not begun a login. Go back and log in again."))
    }
    var response: Response
    var waits = false
    do throws(OpenIDError) {
      let visit = try await client.finish(login, redirect: request.uri.string)
      response = .redirect(to: "/")
      visitCookie.set(await visits.insert(visit), in: &response)
    } catch {
      // What another tab brings, or a stranger's page, ends no login; and one whose keys can't be had now is finished
      // by the same answer later.
      waits = error.code == .redirectInvalid || error.code == .temporarilyUnavailable
      let isDenied = error.code == .authorizationRefused && error.name == "access_denied"
      response = page(
        .trouble(
          isDenied ? "You have not allowed this site to know who you are." : "The login failed. Go back and try again.")
      )
    }
    if !waits {
      _ = await logins.take(name)
      loginCookie.clear(in: &response)
    }
    return response
  }

  func askForCard() async -> Response {
    let (content, cookie, name) = await cards.ask()
    var response = page(content)
    cookie.set(name, in: &response)
    return response
  }

  /// Ends the visit, its tokens, and then the session at the provider.
  func logOut(_ request: Request) async throws -> Response {
    var response = Response.redirect(to: "/")
    if let name = visitCookie.value(in: request), let visit = await visits.take(name) {
      await visit.manager.logOut()
      if let endpoint = client.provider.endSessionEndpoint {
        let logout = LogoutRequest(
          idTokenHint: visit.idToken, clientID: client.clientID, postLogoutRedirectURI: url + "/")
        response = .redirect(to: try logout.url(of: endpoint))
      }
    }
    visitCookie.clear(in: &response)
    return response
  }

  /// The provider reports that a session has ended (OpenID Connect Back-Channel Logout).
  func endByProvider(_ request: Request) async throws -> Response {
    Response(await logouts.respond(to: try await HTTPRequestValue(request)))
  }

  private func page(_ content: Page.Content) -> Response {
    Page.response(content, formTargets: client.provider.issuer)
  }
}
