public import Hummingbird
import JOSE
public import AppleSignInKit

/// The two routes of a website's Sign in with Apple: the one behind the button, and the one that Apple sends the
/// browser back to. A cookie ties both to one browser.
///
/// ```swift
/// AppleSignInRoutes(client: client, scopes: [.name, .email]) { user, request in
///   try await names.keep(user, for: request)
/// } finish: { outcome, request, context in
///   …
/// }.add(to: router)
/// ```
public struct AppleSignInRoutes<Context: RequestContext>: Sendable {
  /// Answers the browser after a sign-in, or after the user has cancelled.
  public typealias Finish =
    @Sendable (_ outcome: AppleSignInOutcome, _ request: Request, _ context: Context) async throws -> Response

  private let client: AppleSignInClient
  private let scopes: Set<AppleScope>
  private let loginPath: String
  private let callbackPath: String
  private let keepUser: @Sendable (AppleUser, Request) async throws -> Void
  private let finish: Finish
  /// Apple posts the form from its own site, and waits ten minutes for the user.
  private let cookie = HostCookie("apple-sign-in", sameSite: .none, lifetime: 600)

  /// Routes.
  ///
  /// - Parameters:
  ///   - client: begins and finishes sign-ins. Its redirect URI must lead to `callbackPath`.
  ///   - scopes: the scopes to request.
  ///   - loginPath: the path of the button's link.
  ///   - callbackPath: the path that Apple sends the browser to.
  ///   - keepUser: gets the name, which Apple sends only once, before any request to Apple; see
  ///     `AppleSignInClient.finish(_:handle:keepingUser:)`. Without the scope `name` there is nothing to keep: `{ _, _
  ///     in }`.
  ///   - finish: answers the browser, for instance by beginning a session.
  public init(
    client: AppleSignInClient, scopes: Set<AppleScope> = [], loginPath: String = "/apple/login",
    callbackPath: String = "/apple/callback",
    keepingUser keepUser: @escaping @Sendable (AppleUser, Request) async throws -> Void,
    finish: @escaping Finish
  ) {
    self.client = client
    self.scopes = scopes
    self.loginPath = loginPath
    self.callbackPath = callbackPath
    self.keepUser = keepUser
    self.finish = finish
  }

  /// Adds the routes to a router.
  public func add(to router: some RouterMethods<Context>) {
    router.get(RouterPath(loginPath)) { _, _ in try await begin() }
    // Apple posts a form if there are scopes, and otherwise uses the query.
    router.post(RouterPath(callbackPath)) { request, context in try await end(request, context) }
    router.get(RouterPath(callbackPath)) { request, context in try await end(request, context) }
  }

  private func begin() async throws -> Response {
    let start: AppleSignInStart
    do throws(JOSEError) {
      start = try await client.begin(scopes: scopes)
    } catch {
      throw HTTPError(Self.status(of: error))
    }
    var response = Response.redirect(to: start.url, type: .normal)
    response.headers[.cacheControl] = "no-store"
    cookie.set(start.handle, in: &response)
    return response
  }

  private func end(_ request: Request, _ context: Context) async throws -> Response {
    guard let handle = cookie.value(in: request) else { throw HTTPError(.badRequest) }
    let callback = try await HTTPRequestValue(request)
    var response: Response
    // What another tab brings, or a stranger's page, uses nothing up. Any other answer does, whether the sign-in
    // succeeded or not.
    var isUsedUp = true
    do {
      let outcome = try await client.finish(callback, handle: handle) { try await keepUser($0, request) }
      response = try await finish(outcome, request, context)
    } catch let error as JOSEError {
      response = Response(status: Self.status(of: error))
      isUsedUp = !AppleSignInClient.mayStillWait(after: error)
    }
    if isUsedUp { cookie.clear(in: &response) }
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// The answer to a failure. It only tells the browser whether to try again.
  private static func status(of error: JOSEError) -> HTTPResponse.Status {
    error.fault == .unavailable ? .serviceUnavailable : .badRequest
  }
}
