public import Hummingbird
import JOSE
public import OpenIDKit

/// The routes of a provider that programs call: tokens, revocation, introspection, userinfo, pushed requests, keys and
/// metadata.
///
/// ```swift
/// ProviderRoutes(provider).add(to: router) { _, context in context.remoteAddress?.ipAddress ?? "" }
/// ```
///
/// The provider makes its own answers; only a body that is too long is refused with 413 before. Its issuer has no path.
/// `/authorize` and `/logout`, which browsers bring, are the server's.
public struct ProviderRoutes: Sendable {
  private let provider: @Sendable () async throws -> OpenIDProvider

  /// Routes of a provider.
  public init(_ provider: OpenIDProvider) { self.provider = { provider } }

  /// Routes of a provider as it is when a request comes, with the keys of that moment.
  public init(current provider: @escaping @Sendable () async throws -> OpenIDProvider) { self.provider = provider }

  private static let paths = [
    "/token", "/userinfo", "/jwks", "/par", "/introspect", "/revoke", "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
  ]

  /// Adds the routes to a router.
  ///
  /// - Parameters:
  ///   - router: a router, or a group of one.
  ///   - source: the address that a request came from. Behind a proxy, read it from a field that the proxy sets.
  public func add<Context: RequestContext>(
    to router: some RouterMethods<Context>, source: @escaping @Sendable (Request, Context) -> String
  ) {
    for path in Self.paths {
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options] {
        router.on(RouterPath(path), method: method) { [provider] request, context in
          guard let provider = try? await provider() else { throw HTTPError(.serviceUnavailable) }
          let value = try await HTTPRequestValue(request, baseURL: provider.issuer)
          guard let response = await provider.respond(to: value, from: source(request, context)) else {
            throw HTTPError(.notFound)
          }
          return Response(response)
        }
      }
    }
  }
}
