import HTTPTypes
import Hummingbird

/// Lets pages of other origins read answers, never with cookies: all pages may read what is public or needs a token,
/// pages of public clients also the endpoints that give them tokens. A request for what is public may have any header,
/// since it changes nothing. Hummingbird's own middleware needs to know the
/// origins beforehand.
///
/// Source: Fetch Standard §3.3; RFC 9700 §2.6.
struct CrossOriginPages: RouterMiddleware {
  let clients: ClientRepository

  private static let documents = [
    "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/jwks",
    "/.well-known/jwt-vc-issuer", EmployeeCards.listPath,
  ]
  private static let everybody = documents + ["/userinfo"]
  private static let publicClients = ["/token", "/revoke", "/par", "/device_authorization"]

  /// The headers of clients. Those of the Model Context Protocol send theirs with every request.
  private static let headers = "authorization, dpop, content-type, mcp-protocol-version"

  func handle(
    _ request: Request, context: ProviderContext, next: (Request, ProviderContext) async throws -> Response
  ) async throws -> Response {
    let isDocument = Self.documents.contains(request.uri.path)
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
    response.headers[.accessControlExposeHeaders] = "DPoP-Nonce, WWW-Authenticate, Retry-After"
    if isPreflight {
      // The asterisk stands for every header but this one.
      response.headers[.accessControlAllowHeaders] = isDocument ? "*, authorization" : Self.headers
      response.headers[.accessControlAllowMethods] = isDocument ? "GET" : isForAll ? "GET, POST" : "POST"
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
