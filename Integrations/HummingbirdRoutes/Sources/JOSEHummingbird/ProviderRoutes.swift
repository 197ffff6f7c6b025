public import Hummingbird
import NIOCore
public import JOSE
public import OpenIDKit

/// The routes of a provider that clients and resource servers call: tokens, revocation, introspection, pushed requests,
/// keys and metadata.
///
/// ```swift
/// ProviderRoutes(issuer: issuer, keys: keys) { request, source in await endpoint.respond(to: request) }
///   .add(to: router) { _, context in context.remoteAddress?.ipAddress ?? "" }
/// ```
///
/// Each endpoint makes its own answers; only a body that is too long is refused with 413 before.
public struct ProviderRoutes: Sendable {
  /// Answers a request. `source` is the address that it came from, for rate limits.
  public typealias Endpoint = @Sendable (_ request: HTTPRequestValue, _ source: String) async -> HTTPResponseValue

  /// The paths, each beginning with a slash.
  public struct Paths: Sendable {
    /// The token endpoint's.
    public var token = "/token"
    /// The revocation endpoint's (RFC 7009).
    public var revocation = "/revoke"
    /// The introspection endpoint's (RFC 7662).
    public var introspection = "/introspect"
    /// The endpoint for pushed authorization requests (RFC 9126).
    public var pushedAuthorization = "/par"
    /// The key set's.
    public var keys = "/jwks"

    /// The defaults.
    public init() {}
  }

  private let issuer: String
  private let posts: [(path: String, endpoint: Endpoint)]
  private let documents: [(path: String, body: [UInt8])]

  /// Routes.
  ///
  /// - Parameters:
  ///   - issuer: the issuer identifier, which is this server's address for clients: without a path, and without a slash
  ///     at its end.
  ///   - keys: the verification keys. Of private keys, only the public half is served.
  ///   - metadata: further members of the discovery document; those of the endpoints here are added.
  ///   - paths: the paths of the endpoints.
  ///   - revocation: ends tokens.
  ///   - introspection: tells resource servers about tokens.
  ///   - pushedAuthorization: takes authorization requests.
  ///   - token: answers every grant.
  public init(
    issuer: String, keys: JWKSet, metadata: JSONObject = [:], paths: Paths = Paths(),
    revocation: OAuthRevocationEndpoint? = nil, introspection: OAuthIntrospectionEndpoint? = nil,
    pushedAuthorization: PushedAuthorizationEndpoint? = nil, token: @escaping Endpoint
  ) {
    self.issuer = issuer
    var posts: [(path: String, endpoint: Endpoint)] = [(paths.token, token)]
    var members = metadata
    members["issuer"] = .string(issuer)
    members["token_endpoint"] = .string(issuer + paths.token)
    members["jwks_uri"] = .string(issuer + paths.keys)
    if let revocation {
      posts.append((paths.revocation, { request, _ in await revocation.respond(to: request) }))
      members["revocation_endpoint"] = .string(issuer + paths.revocation)
    }
    if let introspection {
      posts.append((paths.introspection, { request, _ in await introspection.respond(to: request) }))
      members["introspection_endpoint"] = .string(issuer + paths.introspection)
    }
    if let pushedAuthorization {
      posts.append((paths.pushedAuthorization, { request, _ in await pushedAuthorization.respond(to: request) }))
      members["pushed_authorization_request_endpoint"] = .string(issuer + paths.pushedAuthorization)
    }
    self.posts = posts
    let body = members.serialized()
    documents = [
      ("/.well-known/openid-configuration", body), ("/.well-known/oauth-authorization-server", body),
      (paths.keys, JWKSet(keys.keys.compactMap(\.publicKey)).serialized()),
    ]
  }

  /// Adds the routes to a router.
  ///
  /// - Parameters:
  ///   - router: a router, or a group of one.
  ///   - source: the address that a request came from. Behind a proxy, read it from a field that the proxy sets.
  public func add<Context: RequestContext>(
    to router: some RouterMethods<Context>, source: @escaping @Sendable (Request, Context) -> String
  ) {
    for (path, endpoint) in posts {
      router.post(RouterPath(path)) { [issuer] request, context in
        Response(await endpoint(try await HTTPRequestValue(request, baseURL: issuer), source(request, context)))
      }
    }
    for (path, body) in documents {
      router.get(RouterPath(path)) { _, _ in
        Response(
          status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=300"],
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
      }
    }
  }
}
