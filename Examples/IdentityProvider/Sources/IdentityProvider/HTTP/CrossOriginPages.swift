import HTTPTypes
import Hummingbird

/// Lets pages of other origins read answers, never with cookies: all pages may read what is public or needs a token,
/// pages of public clients also the endpoints that give them tokens. Hummingbird's own middleware needs to know the
/// origins beforehand.
///
/// Source: Fetch Standard §3.3; RFC 9700 §2.6.
struct CrossOriginPages: RouterMiddleware {
  let clients: ClientRepository

  private static let everybody = [
    "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/jwks", "/userinfo",
  ]
  private static let publicClients = ["/token", "/revoke", "/par"]

  func handle(
    _ request: Request, context: ProviderContext, next: (Request, ProviderContext) async throws -> Response
  ) async throws -> Response {
    let isForAll = Self.everybody.contains(request.uri.path)
    guard isForAll || Self.publicClients.contains(request.uri.path) else { return try await next(request, context) }
    let isPreflight = request.method == .options && request.headers[.accessControlRequestMethod] != nil
    var response = if isPreflight { Response(status: .noContent) } else { try await next(request, context) }
    var origin: String? = "*"
    if !isForAll {
      response.headers[.vary] = "Origin"
      origin = await knownOrigin(request.headers[.origin])
    }
    guard let origin else { return response }
    response.headers[.accessControlAllowOrigin] = origin
    response.headers[.accessControlExposeHeaders] = "DPoP-Nonce, WWW-Authenticate"
    if isPreflight {
      response.headers[.accessControlAllowHeaders] = "authorization, dpop, content-type"
      response.headers[.accessControlAllowMethods] = isForAll ? "GET, POST" : "POST"
      response.headers[.accessControlMaxAge] = "600"
    }
    return response
  }

  /// The origin, if a public client is answered there. A preflight request doesn't tell which client will send the
  /// request.
  private func knownOrigin(_ origin: String?) async -> String? {
    guard let origin, origin.contains("://"), let known = try? await clients.publicAddresses() else { return nil }
    let start = origin.utf8 + [UInt8(ascii: "/")]
    return known.contains { $0.utf8.starts(with: start) } ? origin : nil
  }
}
