import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// A resource server with a provider behind it, and the network that leads a client from one to the other. Each answer
/// can be another.
final class ResourceWorld: Sendable {
  static let address = "https://api.example.com/mcp"

  let world: ProviderWorld
  let resource: ProtectedResource
  /// What an address answers instead, by the beginning of the URL.
  let faults = Mutex<[String: HTTPResponseValue]>([:])
  /// What the resource server needs of a token, and says in its refusals.
  let needed = Mutex(["notes.read"])
  /// Whether refusals say where the metadata are.
  let isHinted = Mutex(true)
  private let requests = Mutex<[HTTPRequestValue]>([])

  init(
    _ address: String = ResourceWorld.address, servers: [String] = [ProviderWorld.issuer], scopes more: [String] = [],
    policy: (inout ProviderPolicy) -> Void = { _ in }
  ) async throws {
    resource = try ProtectedResource(address, authorizationServers: servers, scopes: ["notes.read", "notes.write"])
    var agent = RegisteredClient(
      id: "agent", redirectURIs: ["https://agent.example/cb"],
      allowedScopes: ["notes.read", "notes.write", "notes.all", "offline_access"] + more,
      resources: ["", "/", "/mcp", "/mcp/tools"].map { "https://api.example.com" + $0 })
    agent.needsConsent = false
    world = try await ProviderWorld(
      clients: [agent],
      policy: { settings in
        settings.acceptsPlainOAuth = true
        policy(&settings)
      })
  }

  var sent: [HTTPRequestValue] { requests.withLock { $0 } }

  func sent(to text: String) -> [HTTPRequestValue] { sent.filter { $0.url.contains(text) } }

  func answer(_ beginning: String, _ response: HTTPResponseValue?) { faults.withLock { $0[beginning] = response } }

  var transport: HTTPTransport {
    { [self] request in
      requests.withLock { $0.append(request) }
      // The longest beginning counts.
      let fault = faults.withLock {
        $0.filter { request.url.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value
      }
      if let fault { return fault }
      if request.url.hasPrefix(ProviderWorld.issuer) {
        return await world.provider.respond(to: request, from: "a") ?? HTTPResponseValue(status: 404)
      }
      if let document = resource.respond(to: request) { return document }
      return try respond(request)
    }
  }

  /// The resource server itself.
  private func respond(_ request: HTTPRequestValue) throws -> HTTPResponseValue {
    guard request.url.hasPrefix(resource.resource) else { return HTTPResponseValue(status: 404) }
    let needed = needed.withLock { $0 }
    var parameters = ["scope=\"\(needed.joined(separator: " "))\""]
    if isHinted.withLock({ $0 }) { parameters.append("resource_metadata=\"\(resource.metadataURL)\"") }
    func refusal(_ status: Int, _ error: String?) throws -> HTTPResponseValue {
      let all = (error.map { ["error=\"\($0)\""] } ?? []) + parameters
      return HTTPResponseValue(
        status: status,
        headers: try HTTPHeaderFields([
          ("WWW-Authenticate", "Basic realm=\"x\""), ("WWW-Authenticate", "Bearer " + all.joined(separator: ", ")),
        ]))
    }
    guard let credentials = request.headers.values("Authorization").first.flatMap(AuthorizationCredentials.init) else {
      return try refusal(401, nil)
    }
    let keys = world.provider.keys
    let verifier = JWTVerifier(
      keys: keys.verification, algorithms: keys.algorithms,
      policy: .accessToken(issuer: ProviderWorld.issuer, audience: resource.resource, clock: world.clock.wall))
    guard let token = try? verifier.verify(credentials.token) else { return try refusal(401, "invalid_token") }
    let scopes = token.claims["scope"]?.stringValue?.split(separator: " ").map(String.init) ?? []
    guard needed.allSatisfy(scopes.contains) else { return try refusal(403, "insufficient_scope") }
    return HTTPResponseValue(status: 200, body: Array("notes".utf8))
  }

  // MARK: The client and its browser

  func client(
    registrations: [ResourceClient.Registration] = [.init(issuer: ProviderWorld.issuer, clientID: "agent")],
    document: String? = nil, binding: OpenIDClient.TokenBinding = .none, match: ResourceClient.Match = .exact,
    sendsResource: Bool = true, trusts: @escaping @Sendable (String, ProtectedResource) async -> Bool = { _, _ in true }
  ) -> ResourceClient {
    ResourceClient(
      redirectURI: "https://agent.example/cb", registrations: registrations, document: document, binding: binding,
      match: match, sendsResource: sendsResource, clock: world.clock.tokenClock, trusts: trusts, transport: transport)
  }

  var request: HTTPRequestValue { HTTPRequestValue(method: "GET", url: resource.resource) }

  /// The refusal of a request.
  func refusal(_ request: HTTPRequestValue? = nil) async throws -> HTTPResponseValue {
    try await transport(request ?? self.request)
  }

  /// A user who is logged in opens an address: where the browser comes back to.
  func authorize(_ url: String) async throws -> String {
    let step = try await world.provider.authorize(
      HTTPRequestValue(method: "GET", url: url), visit: "v", login: try await world.login(), from: "a")
    guard case .answer(let response) = step else {
      Issue.record("\(step)")
      return ""
    }
    return try #require(response.headers.values("Location").first)
  }

  func login(_ client: ResourceClient, store: any SecretStore = MemorySecretStore()) async throws -> ResourceLogin {
    let (pending, url) = try await client.begin(after: try await refusal(), to: request)
    return try await client.finish(pending, redirect: try await authorize(url), store: store)
  }
}
