import PureCrypto
import JOSE
import StrictJSON

/// A client, or a resource server, at an authorization server's endpoints beside the token endpoint.
///
/// ```swift
/// let client = OAuthClient(clientID: "app", transport: send)
/// let pushed = try await client.push(parameters, to: metadata.pushedAuthorizationEndpoint)
/// browser.open(pushed.url(of: metadata.authorizationEndpoint))
/// ```
///
/// Source: RFC 7009, RFC 7662, RFC 9126, RFC 9701.
public struct OAuthClient: Sendable {
  private let client: TokenClient

  /// A client.
  ///
  /// - Parameters:
  ///   - clientID: as the server knows the client.
  ///   - authentication: how the client proves that. An installed app can keep no secret.
  ///   - plainHTTP: whether endpoints may be on this machine, without TLS.
  ///   - clock: tells when an answer's times are over.
  ///   - transport: the caller's HTTP client, which must not follow redirects.
  public init(
    clientID: String, authentication: ClientAuthentication = .none,
    plainHTTP: PlainHTTP = .refused, clock: WallClock = .system, transport: @escaping HTTPTransport
  ) {
    client = TokenClient(
      clientID: clientID, authentication: authentication, plainHTTP: plainHTTP, clock: clock, transport: transport)
  }

  /// Revokes a token. One that is not valid any more counts as revoked.
  ///
  /// - Parameters:
  ///   - request: the token, and of what kind it probably is.
  ///   - endpoint: the revocation endpoint, an absolute address by `https`.
  /// - Throws: `ErrorCode.settingInvalid` for another endpoint, `ErrorCode.configuration`
  ///   with the server's error code as its name, `ErrorCode.temporarilyUnavailable`.
  public func revoke(_ request: RevocationRequest, at endpoint: String) async throws(OpenIDError) {
    _ = try await client.body(of: FormFields(request.fields), from: endpoint)
  }

  /// Asks what a token is good for, as a resource server does.
  ///
  /// - Parameters:
  ///   - request: the token, and of what kind it probably is.
  ///   - endpoint: the introspection endpoint, an absolute address by `https`.
  /// - Throws: `ErrorCode.settingInvalid` for another endpoint, `ErrorCode.configuration`
  ///   with the server's error code as its name, `ErrorCode.temporarilyUnavailable`,
  ///   `ErrorCode.answerMalformed`. Treat each like a token that is not active.
  public func introspect(
    _ request: IntrospectionRequest, at endpoint: String
  ) async throws(OpenIDError) -> IntrospectionResponse {
    try IntrospectionResponse(parsing: await client.body(of: FormFields(request.fields), from: endpoint))
  }

  /// The same where the answer has to be signed: one in plain JSON is refused, so that no proxy can take the signature
  /// away.
  ///
  /// - Parameters:
  ///   - request: the token, and of what kind it probably is.
  ///   - endpoint: the introspection endpoint, an absolute address by `https`.
  ///   - issuer: the authorization server's identifier.
  ///   - keys: its keys.
  ///   - algorithms: those accepted of its answers.
  /// - Throws: as ``introspect(_:at:)``; `ErrorCode.answerMalformed` for an answer that is not signed, or not by the
  ///   issuer, for this client and now, with the name of what is wrong.
  ///
  /// Source: RFC 9701 §4, §5.
  public func introspect(
    _ request: IntrospectionRequest, at endpoint: String, signedBy issuer: String, keys: RemoteKeySet,
    algorithms: [SignatureAlgorithm]
  ) async throws(OpenIDError) -> IntrospectionResponse {
    let response = try await client.response(
      to: FormFields(request.fields), from: endpoint, accepting: MediaType.tokenIntrospection)
    let body = try response.answerBody(at: client.clock.now)
    guard MediaType.matches(response.headers.values("Content-Type").first, MediaType.tokenIntrospection) else {
      throw OpenIDError(.answerMalformed, "the server's answer about the token is not signed", name: "Content-Type")
    }
    let verifier = RemoteJWTVerifier(
      keys: keys, algorithms: algorithms,
      policy: .introspection(
        issuer: issuer, audience: client.credentials.clientID, acceptsInactive: true, clock: client.clock))
    let claims: JSONObject
    do throws(JOSEError) {
      claims = try await verifier.verify(String(decoding: body, as: UTF8.self)).claims
    } catch {
      guard !error.isLackOfKeys else { throw .unavailable(after: nil) }
      throw OpenIDError(.answerMalformed, "the server's answer about the token is refused", name: error.name)
    }
    return try IntrospectionResponse(parsing: (claims["token_introspection"]?.objectValue ?? [:]).serialized())
  }

  /// Pushes an authorization request to the server, so that the browser carries only a reference to it.
  ///
  /// - Parameters:
  ///   - parameters: those of the authorization request. `client_id` is added.
  ///   - endpoint: the pushed authorization request endpoint, an absolute address by `https`.
  /// - Throws: `ErrorCode.invalidRequest` if there is a `request_uri` among the parameters,
  ///   `ErrorCode.settingInvalid` for another endpoint,
  ///   `ErrorCode.configuration` with the server's error code as its name,
  ///   `ErrorCode.temporarilyUnavailable`, `ErrorCode.answerMalformed`.
  public func push(
    _ parameters: FormFields, to endpoint: String
  ) async throws(OpenIDError) -> PushedAuthorization {
    guard parameters.values("request_uri").isEmpty else {
      throw OpenIDError(.invalidRequest, "a pushed request must not contain request_uri", name: "request_uri")
    }
    let clientID = client.credentials.clientID
    // A parameter of the authorization request, whatever else proves the client (RFC 9126 §2.1).
    let fields = parameters.fields.filter { WireName($0.name) != "client_id" }.map { ($0.name, $0.value) }
    let body = try await client.body(of: FormFields(fields + [("client_id", clientID)]), from: endpoint)
    return try PushedAuthorization(parsing: body, clientID: clientID)
  }
}

extension HTTPResponseValue {
  /// The body of an answer that came at a time.
  ///
  /// - Throws: `ErrorCode.configuration` with the server's error code as its name, `ErrorCode.temporarilyUnavailable`.
  func answerBody(at now: NumericDate) throws(OpenIDError) -> [UInt8] {
    switch OAuthAnswer.verdict(on: self) {
    case .answer: return body
    case .refused(let code):
      throw OpenIDError(.configuration, "the server refused the request", name: OAuthErrorName.registered(code.text))
    case .busy, .unusable, .unanswered:
      throw .unavailable(after: headers.retryAfter(now: now))
    }
  }
}

extension OAuthClient: Redacted {}
