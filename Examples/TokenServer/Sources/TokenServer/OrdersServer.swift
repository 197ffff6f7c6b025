import Hummingbird
import JOSE

/// The claims of an access token that this server needs.
struct Access: Decodable, Sendable {
  let clientID: String
  let scope: String?

  enum CodingKeys: String, CodingKey {
    case clientID = "client_id"
    case scope
  }

  func permits(_ name: String) -> Bool { scope?.split(separator: " ").contains { $0 == name } ?? false }
}

/// A resource server: answers those whose access token permits it.
struct OrdersServer: Sendable {
  /// This server's URL for clients, even behind a proxy. It is also the audience of the tokens.
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
      let orders: JSONObject = ["customer": .string(access.clientID), "orders": ["tea", "scones"]]
      return .json(orders.serialized())
    } catch {
      // The text names the check that failed, and repeats nothing that the sender wrote.
      print("refused: \(error)")
      guard error.fault != .unavailable else { return Response(status: .serviceUnavailable) }
      return .refused(.unauthorized, error: "invalid_token")
    }
  }

  /// The rights of the request's token, or nil if it has no token. A token that is bound to a key is valid only with a
  /// proof by that key.
  func access(of request: Request) async throws(JOSEError) -> Access? {
    guard let authorization = request.headers[.authorization],
      let credentials = AuthorizationCredentials(authorization)
    else { return nil }
    if credentials.hasScheme("DPoP") {
      return try await bound.verify(
        authorization: authorization, proofs: request.headers[values: .dpop], method: request.method.rawValue,
        url: url + request.uri.path, as: Access.self
      ).token.claims
    }
    return credentials.hasScheme("Bearer") ? try await tokens.verify(credentials.token, as: Access.self).claims : nil
  }
}
