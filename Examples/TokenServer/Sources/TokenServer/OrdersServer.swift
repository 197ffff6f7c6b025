import Hummingbird
import JOSE

/// What an access token says that this server wants to know.
struct Access: Decodable, Sendable {
  let sub: String
  let scope: String?

  func permits(_ name: String) -> Bool { scope?.split(separator: " ").contains { $0 == name } ?? false }
}

/// A resource server: answers those whose access token permits it.
struct OrdersServer: Sendable {
  /// Under which URL clients reach this server, whatever stands before it. It is also the audience of the tokens.
  let url: String
  let tokens: RemoteJWTVerifier
  let bound: DPoPAccessTokenVerifier

  init(url: String, issuer: String, transport: @escaping HTTPTransport) {
    self.url = url
    tokens = RemoteJWTVerifier(
      keys: RemoteKeySet(issuer: issuer, metadata: .oauth, transport: transport), algorithms: [.es256],
      policy: .accessToken(issuer: issuer, audience: url))
    bound = DPoPAccessTokenVerifier(
      tokens: tokens, proofs: DPoPVerifier(algorithms: [.es256, .ed25519], records: MemoryRecordStore()))
  }

  func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("orders") { request, _ in await orders(request) }
  }

  func orders(_ request: Request) async -> Response {
    do throws(JOSEError) {
      guard let access = try await access(of: request) else { return .refused(.unauthorized, error: nil) }
      guard access.permits("orders") else { return .refused(.forbidden, error: "insufficient_scope") }
      let orders: JSONObject = ["customer": .string(access.sub), "orders": ["tea", "scones"]]
      return .json(orders.serialized())
    } catch {
      // The text says which check failed, and holds nothing that the sender wrote.
      print("refused: \(error)")
      guard error.fault != .unavailable else { return Response(status: .serviceUnavailable) }
      return .refused(.unauthorized, error: "invalid_token")
    }
  }

  /// What the request's token permits, or nil if it has none. A token that is bound to a key counts only with a proof
  /// by that key.
  func access(of request: Request) async throws(JOSEError) -> Access? {
    guard let authorization = request.headers[.authorization] else { return nil }
    let parts = authorization.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    switch parts[0].lowercased() {
    case "dpop":
      return try await bound.verify(
        authorization: authorization, proofs: request.headers[values: .dpop], method: request.method.rawValue,
        url: url + request.uri.path, as: Access.self
      ).token.claims
    case "bearer":
      return try await tokens.verify(parts[1], as: Access.self).claims
    default:
      return nil
    }
  }
}
