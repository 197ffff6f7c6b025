import Hummingbird
import HTTPTypes
import JOSE
import NIOCore

extension Provider {
  /// All routes of the server.
  package func router() -> Router<ProviderContext> {
    let router = Router(context: ProviderContext.self, options: .autoGenerateHeadEndpoints)
    router.middlewares.add(HeadRequests())
    router.middlewares.add(MetricsMiddleware())
    router.middlewares.add(SecurityHeaders<ProviderContext>(isSecure: settings.isSecure))
    router.middlewares.add(CrossOriginPages(clients: clients))
    router.middlewares.add(Failures(isLocal: settings.hasPlainCookies))
    if settings.hasPlainCookies { router.middlewares.add(LoopbackCookies()) }
    router.get("/.well-known/openid-configuration") { _, _ in try await discovery() }
    router.get("/.well-known/oauth-authorization-server") { _, _ in try await discovery() }
    router.get("/jwks") { _, _ in try await keySet() }
    addAuthorizationRoutes(to: router)
    addLoginRoutes(to: router)
    addConsentRoutes(to: router)
    addDeviceRoutes(to: router)
    addEndpoints(to: router)
    addLogoutRoutes(to: router)
    addStyleRoutes(to: router)
    addHealthRoutes(to: router)
    addAccountRoutes(to: router)
    addCardRoutes(to: router)
    addAdminRoutes(to: router)
    for part in extensions { part.addRoutes(to: router) }
    refuseOtherMethods(on: router)
    return router
  }

  /// Answers other methods with 405 and the allowed ones (RFC 9110 §15.5.6), on each path that has routes by now.
  func refuseOtherMethods(on router: Router<ProviderContext>) {
    for routes in Dictionary(grouping: router.routes, by: \.path.description).values {
      var methods = routes.map(\.method)
      // The router adds HEAD itself, later.
      if methods.contains(.get), !methods.contains(.head) { methods.append(.head) }
      let allowed = methods.map(\.rawValue).sorted().joined(separator: ", ")
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options]
      where !methods.contains(method) {
        router.on(routes[0].path, method: method) { _, _ -> Response in
          throw HTTPError(.methodNotAllowed, headers: [.allow: allowed])
        }
      }
    }
  }
}
