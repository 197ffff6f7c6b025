import JOSE
import StrictJSON

/// The endpoints that programs call.
extension OpenIDProvider {
  /// Whether the provider has it.
  func offers(_ place: ProviderAddresses.Place) -> Bool {
    guard policy.hasUsers || !place.isForUsers else { return false }
    return switch place {
    case .deviceAuthorization: policy.devicePage != nil
    case .statusList: policy.statusListTimeToLive != nil
    default: true
    }
  }

  /// Answers a request of a program: to the endpoints for tokens, revocation, introspection, userinfo, pushed requests
  /// and devices, for the metadata and the key set. Nil for anything else, such as `/authorize` and `/logout`, which
  /// browsers bring.
  ///
  /// It answers `HEAD` and `OPTIONS` too, and other methods with 405. Pages of other origins may read what is public or
  /// needs a token, pages of a public client also what gives it tokens, never with cookies.
  /// - Parameters:
  ///   - request: as it came; the address as this server's clients know it, or a path. A body of a megabyte is more
  ///     than enough.
  ///   - source: where it comes from, for limits. Take it from the connection, or from a header that your own proxy
  ///     sets.
  public func respond(to request: HTTPRequestValue, from source: String) async -> HTTPResponseValue? {
    var request = request
    if request.url.utf8.first == UInt8(ascii: "/") { request.url = addresses.origin + request.url }
    guard let endpoint = endpoint(at: request.url) else { return nil }
    let methods = endpoint.methods
    let isHead = request.hasMethod("HEAD")
    if isHead { request.method = "GET" }
    var response: HTTPResponseValue
    if let answer = HTTPResponseValue.answer(toMethodOf: request, allowed: methods) {
      response = answer
    } else {
      response = await respond(to: request, at: endpoint, from: source)
    }
    if isHead { response.body = [] }
    return await readable(response, by: request, at: endpoint, methods)
  }

  private func respond(
    to request: HTTPRequestValue, at endpoint: ProviderAddresses.Endpoint, from source: String
  ) async -> HTTPResponseValue {
    switch endpoint {
    case .metadata:
      guard let metadata = try? await metadata() else { return .temporarilyUnavailable }
      return .document(metadata, lifetime: 300)
    case .place(.keys): return .document(keys.verification.serialized(), lifetime: 300)
    case .place(.statusList): return await statusList()
    case .place(.userInfo): return await userInfo(request)
    case .place(.token):
      return withNonce(await tokenEndpoint(from: source).respond(to: request, sourceAddress: source), to: request)
    case .place(.introspection): return await introspectionEndpoint.respond(to: request)
    case .place(.revocation): return await revocationEndpoint.respond(to: request)
    case .place(.pushedAuthorization):
      guard let requests = try? pushedRequests(from: source) else { return .temporarilyUnavailable }
      return withNonce(await requests.respond(to: request), to: request)
    case .place(.deviceAuthorization): return withNonce(await deviceCodes(for: request, from: source), to: request)
    case .place(.authorization), .place(.endSession): return .unstored(404, mediaType: nil)
    }
  }

  // MARK: Addresses

  private func endpoint(at url: String) -> ProviderAddresses.Endpoint? {
    guard let endpoint = addresses.endpoint(at: url) else { return nil }
    if case .place(let place) = endpoint, !offers(place) { return nil }
    return endpoint
  }

  /// The paths that ``respond(to:from:)`` may answer, for the routes of a server.
  ///
  /// - Parameter issuer: its address, or any text without a path.
  public static func paths(ofIssuer issuer: String) -> [String] {
    ProviderAddresses.endpoints(below: (try? URIComponents(parsing: issuer))?.path ?? "").map(\.path)
  }

  // MARK: Pages of other origins

  /// The headers of clients. Those of the Model Context Protocol send theirs with every request.
  private static let clientHeaders = "authorization, dpop, content-type, mcp-protocol-version"

  /// The response, as far as a page of another origin may read it.
  private func readable(
    _ response: HTTPResponseValue, by request: HTTPRequestValue, at endpoint: ProviderAddresses.Endpoint,
    _ methods: [WireName]
  ) async -> HTTPResponseValue {
    switch endpoint {
    case .metadata, .place(.keys), .place(.statusList): return response.readableByAll(request)
    case .place(.introspection), .place(.authorization), .place(.endSession): return response
    case .place(.userInfo):
      return response.readable(from: "*", by: request, headers: Self.clientHeaders, methods: methods)
    default:
      var response = response
      try? response.headers.set("Vary", "Origin")
      guard let origin = request.headers.values("Origin").first, await isOrigin(origin, ofClientIn: request) else {
        return response
      }
      return response.readable(from: origin, by: request, headers: Self.clientHeaders, methods: methods)
    }
  }

  /// Whether a page of an origin may read the answer: of a public client that is answered there. A preflight request
  /// doesn't say which client will send the request; it permits no more than any form may send.
  private func isOrigin(_ origin: String, ofClientIn request: HTTPRequestValue) async -> Bool {
    guard (try? URIComponents(parsing: origin))?.host != nil, origin.utf8.last != UInt8(ascii: "/") else {
      return false
    }
    if request.isPreflight { return true }
    guard let id = (try? request.form())?.values("client_id").first,
      let client = try? await clients.client(id: id), client.isPublic
    else { return false }
    return client.redirectURIs.contains { $0.utf8.starts(with: (origin + "/").utf8) }
  }
}
