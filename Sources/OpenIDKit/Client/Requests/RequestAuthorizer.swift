import PureCrypto
import JOSE
import StrictJSON

/// Sends requests to resource servers with the login's access token: attaches it, refreshes once on 401, and tries
/// again.
///
/// ```swift
/// let api = RequestAuthorizer(manager: manager, transport: send)
/// let response = try await api.send(HTTPRequestValue(method: "GET", url: "https://api.example/me"))
/// ```
///
/// For any HTTP client: it sees plain values only. A request is sent twice at most for its token, and once more if a
/// server wants another nonce in the proof of possession.
///
/// Source: RFC 6750 §2.1, §3.1; RFC 9449 §7, §9.
public struct RequestAuthorizer: Sendable {
  private let manager: TokenManager
  private let proofKey: SigningKey?
  private let nonces: ResourceNonces
  private let plainHTTP: PlainHTTP
  let clock: WallClock
  /// The one server that requests may go to; nil for any.
  var origin: String?
  private let transport: HTTPTransport

  /// An authorizer.
  ///
  /// - Parameters:
  ///   - manager: keeps the login's tokens.
  ///   - proofKey: the key that the tokens are bound to (DPoP), if they are: the one that the refresher has.
  ///   - plainHTTP: whether requests may go to this machine, without TLS.
  ///   - clock: dates the proofs.
  ///   - transport: the caller's HTTP client. It must not follow redirects: a token goes to the address that it was
  ///     attached for, and to no other.
  public init(
    manager: TokenManager, proofKey: SigningKey? = nil, plainHTTP: PlainHTTP = .refused, clock: WallClock = .system,
    transport: @escaping HTTPTransport
  ) {
    (self.manager, self.proofKey, self.clock, self.transport) = (manager, proofKey, clock, transport)
    self.plainHTTP = plainHTTP
    nonces = ResourceNonces()
  }

  /// Sends a request with a token.
  ///
  /// A request that is not to be repeated when its token is refused, because its body comes from elsewhere and can be
  /// read once, is one for ``TokenManager/validToken(minimumRemaining:)``.
  /// - Returns: the response: the second one if the first refused the token.
  /// - Throws: what ``TokenManager/validToken(minimumRemaining:)`` throws; `JOSEError` if a proof can't be made; what
  ///   the transport throws. `ErrorCode.invalidRequest` for an address that is not absolute and `https`,
  ///   or has user information or a fragment, or is of another server than ``ResourceLogin/resource``;
  ///   `ErrorCode.settingInvalid` for a token that is bound to a key that is not given.
  public func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    guard let url = try? URIComponents(parsing: request.url), plainHTTP.permits(url) else {
      throw OpenIDError(.invalidRequest, "a token is sent to absolute https addresses only", name: "url")
    }
    let origin = Self.origin(of: url)
    if let own = self.origin, origin != (try? Self.origin(of: URIComponents(parsing: own))) {
      throw OpenIDError(.invalidRequest, "the token is for another server", name: "url")
    }
    let token = try await manager.validToken()
    let response = try await send(request, token, origin)
    guard response.status == 401, Self.refusesToken(response) else { return response }
    return try await send(request, try await manager.handleUnauthorized(token), origin)
  }

  /// Scheme, host and port: nonces are a server's.
  private static func origin(of url: URIComponents) -> WireName {
    let port = url.port.map { "\($0)" } ?? (url.hasScheme("https") ? "443" : "80")
    return "\(url.scheme.asciiLowercased)://\(url.host?.asciiLowercased ?? ""):\(port)"
  }

  /// Sends a request, and once more if the server asks for a nonce that the proof did not have.
  private func send(
    _ request: HTTPRequestValue, _ token: AccessToken, _ origin: WireName
  ) async throws -> HTTPResponseValue {
    let sent = nonces.nonce(of: origin)
    let response = try await transport(try authorized(request, token, nonce: sent))
    guard proofKey != nil, let new = nonces.keep(of: response, from: origin) else { return response }
    let challenges = response.status == 401 ? AuthenticationChallenge.all(of: response) : []
    guard challenges.contains(where: { $0.hasError("use_dpop_nonce") }), sent.map({ WireName($0) }) != WireName(new)
    else { return response }
    let second = try await transport(try authorized(request, token, nonce: new))
    _ = nonces.keep(of: second, from: origin)
    return second
  }

  /// The request with the token, and the proof if the token is bound to a key. What stood in these fields is replaced.
  private func authorized(
    _ request: HTTPRequestValue, _ token: AccessToken, nonce: String?
  ) throws -> HTTPRequestValue {
    var request = request
    // Servers compare the scheme without regard to case, and some write `bearer` in the answer and expect `Bearer`
    // here.
    let isBearer = token.type.hasSameBytesIgnoringASCIICase(as: "bearer")
    let isBound = token.type.hasSameBytesIgnoringASCIICase(as: "dpop")
    let scheme = isBearer ? "Bearer" : isBound ? "DPoP" : token.type
    try request.headers.set("Authorization", "\(scheme) \(token.value)")
    request.headers.remove("DPoP")
    if isBound {
      guard let proofKey else {
        throw OpenIDError(.settingInvalid, "the token is bound to a key, which is not given", name: "proofKey")
      }
      let proof = try DPoP.proof(
        method: request.method, url: request.url, key: proofKey, accessToken: token.value, nonce: nonce, clock: clock)
      try request.headers.set("DPoP", proof)
    }
    return request
  }

  /// Whether a 401 is about the token: by its error code, or without one (RFC 6750 §3.1).
  private static func refusesToken(_ response: HTTPResponseValue) -> Bool {
    let challenges = AuthenticationChallenge.all(of: response).filter(\.isForTokens)
    // A server that says nothing at all may still mean the token.
    guard !challenges.isEmpty else { return response.headers.values("WWW-Authenticate").isEmpty }
    return challenges.contains { $0.error == nil || $0.hasError("invalid_token") }
  }
}

extension RequestAuthorizer: Redacted {}
