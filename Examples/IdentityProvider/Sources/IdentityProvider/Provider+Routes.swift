import Hummingbird
import HTTPTypes
import JOSE
import NIOCore

extension Provider {
  /// Everything that the server answers.
  package func router() -> Router<ProviderContext> {
    let router = Router(context: ProviderContext.self)
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
    addTokenRoutes(to: router)
    addTokenManagementRoutes(to: router)
    addUserInfoRoutes(to: router)
    addLogoutRoutes(to: router)
    addStyleRoutes(to: router)
    addHealthRoutes(to: router)
    addAccountRoutes(to: router)
    addAdminRoutes(to: router)
    for part in extensions { part.addRoutes(to: router) }
    return router
  }
}
