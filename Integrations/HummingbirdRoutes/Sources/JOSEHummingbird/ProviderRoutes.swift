public import Hummingbird
import JOSE
public import OpenIDKit

/// The routes of a provider that programs call: tokens, revocation, introspection, userinfo, pushed requests, codes for
/// devices, keys and metadata.
///
/// ```swift
/// ProviderRoutes(provider).add(to: router) { _, context in context.remoteAddress?.ipAddress ?? "" }
/// ```
///
/// The provider makes its own answers; only a body that is too long is refused with 413 before. `/authorize` and
/// `/logout`, which browsers bring, are the server's.
public struct ProviderRoutes: Sendable {
  private let provider: @Sendable () async throws -> OpenIDProvider
  private let paths: [String]

  /// Routes of a provider.
  public init(_ provider: OpenIDProvider) { self.init(issuer: provider.issuer) { provider } }

  /// Routes of a provider as it is when a request comes, with the keys of that moment.
  ///
  /// - Parameters:
  ///   - issuer: its address; may be left out if that has no path.
  ///   - provider: the provider.
  public init(issuer: String = "", current provider: @escaping @Sendable () async throws -> OpenIDProvider) {
    (self.provider, paths) = (provider, OpenIDProvider.paths(ofIssuer: issuer))
  }

  /// Adds the routes to a router.
  ///
  /// - Parameters:
  ///   - router: a router, or a group of one.
  ///   - source: the address that a request came from. Behind a proxy, read it from a field that the proxy sets.
  public func add<Context: RequestContext>(
    to router: some RouterMethods<Context>, source: @escaping @Sendable (Request, Context) -> String
  ) {
    for path in paths {
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options] {
        router.on(RouterPath(path), method: method) { [provider] request, context in
          guard let provider = try? await provider() else { throw HTTPError(.serviceUnavailable) }
          let value = try await HTTPRequestValue(request)
          guard let response = await provider.respond(to: value, from: source(request, context)) else {
            throw HTTPError(.notFound)
          }
          return Response(response)
        }
      }
    }
  }
}
