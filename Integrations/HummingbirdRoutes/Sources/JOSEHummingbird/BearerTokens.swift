import HTTPTypes
public import Hummingbird
public import JOSE
public import JOSEFoundation
public import OpenIDKit

/// Middleware that accepts requests with a valid access token, and refuses others by RFC 6750.
///
/// ```swift
/// let router = Router(context: AccessTokenRequestContext.self)
/// router.add(middleware: BearerTokens(issuer: "https://idp.example.com", audience: "https://api.example.com"))
/// router.get("/me") { _, context in "Hello, \(try context.requireAccessToken().subject)" }
/// ```
///
/// It finds the issuer's keys by discovery, keeps them, and hands the token to the routes by their context. It accepts
/// tokens in the field `Authorization` only, never in a query or a form. Put it behind middleware that answers requests
/// without a token, such as CORS preflight requests.
///
/// | request | answer |
/// |---|---|
/// | no token, or another scheme | 401 and how to ask, without an error code |
/// | two `Authorization` fields, a token in characters that no token has | 400 `invalid_request` |
/// | a forged, expired or foreign token, or a bound one without its proof | 401 `invalid_token` |
/// | a proof of possession that is absent or wrong | 401 `invalid_dpop_proof` or `use_dpop_nonce` |
/// | a token without a required scope | 403 `insufficient_scope` |
/// | the issuer's keys, or the memory of proofs, can't be had | 503 with `Retry-After` |
/// | a key that is not known, so soon after the last request that the issuer isn't asked | 503 with `Retry-After` |
///
/// Made for a ``OpenIDKit/ProtectedResource``, it answers for the resource's metadata, too, and each refusal says where
/// they are: a client that knows nothing but the address finds its way.
///
/// Source: RFC 6750 §2.1 and §3, RFC 9068 §4, RFC 9449 §7, RFC 9728 §5.
public struct BearerTokens<Context: AccessTokenContext>: RouterMiddleware {
  /// Verifies the tokens of an issuer.
  private struct Verifiers {
    let issuer: String?
    let bearer: RemoteJWTVerifier
    /// Verifies tokens that are bound to a key, with their proofs.
    let bound: RemoteJWTVerifier
  }

  private var verifiers: [Verifiers]
  private let dpop: ProofOfPossession
  private let realm: String
  private var resource: ProtectedResource?
  private var scopes: [String] = []
  private let onEvent: @Sendable (BearerTokenEvent) -> Void

  /// Accepts access tokens of one issuer (RFC 9068), and finds its keys by its metadata.
  ///
  /// - Parameters:
  ///   - issuer: the issuer's identifier, as tokens have it in `iss`.
  ///   - audience: this server's name, which tokens have in `aud`. Answers name it as their realm.
  ///   - algorithms: the signature algorithms accepted.
  ///   - dpop: whether tokens may or must be bound to a key.
  ///   - metadata: where the issuer publishes its metadata.
  ///   - plainHTTP: whether the issuer may be on this machine, without TLS.
  ///   - clock: the clock for the time claims.
  ///   - onEvent: told of each request, for instance ``BearerTokenRecorder/record(_:)``. It should return at once.
  ///   - onKeys: told of each request for keys.
  ///   - transport: fetches metadata and keys; nil for `URLSessionTransport`, with this `plainHTTP`.
  public init(
    issuer: String, audience: String, algorithms: [SignatureAlgorithm] = [.es256, .ed25519, .ps256, .rs256],
    dpop: ProofOfPossession = .refused, metadata: IssuerMetadata.Kind = .openID, plainHTTP: PlainHTTP = .refused,
    clock: WallClock = .system, onEvent: @escaping @Sendable (BearerTokenEvent) -> Void = { _ in },
    onKeys: (@Sendable (RemoteKeySetEvent) -> Void)? = nil,
    transport: HTTPTransport? = nil
  ) {
    self.init(
      keys: RemoteKeySet(
        issuer: issuer, metadata: metadata, plainHTTP: plainHTTP, clock: clock, onEvent: onKeys,
        transport: transport ?? URLSessionTransport(plainHTTP: plainHTTP).send),
      algorithms: algorithms, policy: .accessToken(issuer: issuer, audience: audience, clock: clock), realm: audience,
      dpop: dpop, onEvent: onEvent)
  }

  /// Accepts access tokens for a resource from each of its authorization servers.
  ///
  /// ```swift
  /// router.add(middleware: BearerTokens(protecting: resource))
  /// ```
  ///
  /// Add it to the router itself and not to a group: the metadata's path lies outside the resource's.
  /// - Parameters:
  ///   - resource: what is protected. Tokens have its identifier in `aud`.
  ///   - algorithms: the signature algorithms accepted.
  ///   - dpop: whether tokens may or must be bound to a key.
  ///   - metadata: where the issuer publishes its metadata.
  ///   - plainHTTP: whether the issuer may be on this machine, without TLS.
  ///   - clock: the clock for the time claims.
  ///   - onEvent: told of each request.
  ///   - onKeys: told of each request for keys.
  ///   - transport: fetches metadata and keys; nil for `URLSessionTransport`, with this `plainHTTP`.
  public init(
    protecting resource: ProtectedResource, algorithms: [SignatureAlgorithm] = [.es256, .ed25519, .ps256, .rs256],
    dpop: ProofOfPossession = .refused, metadata: IssuerMetadata.Kind = .oauth, plainHTTP: PlainHTTP = .refused,
    clock: WallClock = .system, onEvent: @escaping @Sendable (BearerTokenEvent) -> Void = { _ in },
    onKeys: (@Sendable (RemoteKeySetEvent) -> Void)? = nil,
    transport: HTTPTransport? = nil
  ) {
    let all = resource.authorizationServers.map { issuer in
      var one = Self(
        issuer: issuer, audience: resource.resource, algorithms: algorithms, dpop: dpop, metadata: metadata,
        plainHTTP: plainHTTP, clock: clock, onEvent: onEvent, onKeys: onKeys, transport: transport)
      one.verifiers = one.verifiers.map { Verifiers(issuer: issuer, bearer: $0.bearer, bound: $0.bound) }
      return one
    }
    self = all[0]
    verifiers = all.flatMap(\.verifiers)
    self.resource = resource
  }

  /// Accepts tokens that satisfy a policy of your own.
  ///
  /// - Parameters:
  ///   - keys: the keys of the policy's issuer.
  ///   - algorithms: the signature algorithms accepted.
  ///   - policy: the rules for the claims.
  ///   - realm: the name of this server in answers.
  ///   - dpop: whether tokens may or must be bound to a key.
  ///   - onEvent: told of each request, for instance ``BearerTokenRecorder/record(_:)``. It should return at once.
  public init(
    keys: RemoteKeySet, algorithms: [SignatureAlgorithm], policy: JWTPolicy, realm: String,
    dpop: ProofOfPossession = .refused, onEvent: @escaping @Sendable (BearerTokenEvent) -> Void = { _ in }
  ) {
    var checked = policy
    checked.bindingIsChecked = true
    verifiers = [
      Verifiers(
        issuer: nil, bearer: RemoteJWTVerifier(keys: keys, algorithms: algorithms, policy: policy),
        bound: RemoteJWTVerifier(keys: keys, algorithms: algorithms, policy: checked))
    ]
    (self.dpop, self.realm, self.onEvent) = (dpop, realm, onEvent)
  }

  /// The same middleware for routes that need more: a token must have these scopes as well.
  public func requiring(_ scopes: String...) -> Self {
    var stricter = self
    stricter.scopes += scopes
    return stricter
  }

  /// Passes the request on with its token, or refuses it.
  ///
  /// - Throws: what the route throws.
  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if let document = resource?.respond(to: request) { return Response(document) }
    let begin = ContinuousClock.now
    func tell(_ kind: BearerTokenEvent.Kind) {
      onEvent(BearerTokenEvent(kind: kind, duration: ContinuousClock.now - begin))
    }
    let token: AccessToken
    do throws(TokenRefusal) {
      token = try await accessToken(of: request)
      guard scopes.allSatisfy(token.permits) else { throw .insufficientScope(token.scheme) }
    } catch {
      tell(error.event)
      return response(to: error)
    }
    tell(.accepted)
    var context = context
    context.accessToken = token
    var response = try await next(request, context)
    if token.proof != nil { addNonce(to: &response) }
    return response
  }

  private func accessToken(of request: Request) async throws(TokenRefusal) -> AccessToken {
    let fields = request.headers[values: .authorization]
    guard fields.count <= 1 else { throw .requestInvalid }
    guard let field = fields.first, let (scheme, text) = credentials(in: field) else { throw .noToken }
    guard TokenRefusal.isToken(text) else { throw .requestInvalid }
    switch (scheme, dpop) {
    case (.bearer, _):
      do throws(JOSEError) {
        return AccessToken(try await verifiers(of: text).bearer.verify(text), proof: nil)
      } catch {
        throw TokenRefusal(token: error, scheme)
      }
    case (.dpop, .accepted(let proofs, let baseURL)), (.dpop, .required(let proofs, let baseURL)):
      return try await boundToken(text, of: request, proofs, baseURL)
    case (.dpop, .refused): throw .noToken
    }
  }

  /// Those of the issuer that a token names. Nothing in the token is believed yet.
  private func verifiers(of token: String) -> Verifiers {
    guard verifiers.count > 1, let claims = try? UnverifiedJWS(parsing: token).unverifiedClaims,
      let issuer = claims["iss"]?.stringValue
    else { return verifiers[0] }
    return verifiers.first { $0.issuer.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false } ?? verifiers[0]
  }

  /// The scheme, if it is accepted here, and the text after it.
  private func credentials(in field: String) -> (AccessToken.Scheme, String)? {
    // A scheme without one token is a request that is wrong, and not one without credentials.
    let scheme = dpop.schemes.first { AuthorizationCredentials.isScheme($0.rawValue, of: field) }
    return scheme.map { ($0, AuthorizationCredentials(field)?.token ?? "") }
  }

  private func boundToken(
    _ text: String, of request: Request, _ proofs: DPoPVerifier, _ baseURL: String
  ) async throws(TokenRefusal) -> AccessToken {
    let bound = verifiers(of: text).bound
    do throws(JOSEError) {
      let verifier = DPoPAccessTokenVerifier(tokens: bound, proofs: proofs)
      let access = try await verifier.verify(
        authorization: "DPoP " + text, proofs: request.headers[values: .dpop], method: request.method.rawValue,
        url: baseURL + (request.head.path ?? "/"), as: JSONObject.self)
      return AccessToken(access.token, proof: access.proof)
    } catch {
      // If the token is valid by itself, then the proof was wrong.
      do throws(JOSEError) {
        _ = try await bound.verify(text)
      } catch {
        throw TokenRefusal(token: error, .dpop)
      }
      // Source: RFC 9449 §7.1. A token that is bound to another key, or to no key, is a wrong token.
      if error.name == "cnf" || error.name == "jkt" && error.code == .keyMismatch {
        throw TokenRefusal(token: error, .dpop)
      }
      throw TokenRefusal(proof: error)
    }
  }

  // MARK: Answers

  private func response(to refusal: TokenRefusal) -> Response {
    var response = Response(status: refusal.status)
    response.headers[.cacheControl] = "no-store"
    switch refusal {
    case .unavailable: response.headers[.retryAfter] = "5"
    case .misconfigured: break
    case .noToken, .requestInvalid, .token, .proof, .insufficientScope:
      for scheme in dpop.schemes {
        response.headers.append(HTTPField(name: .wwwAuthenticate, value: challenge(scheme, refusal)))
      }
      if case .proof = refusal { addNonce(to: &response) }
    }
    return response
  }

  /// The challenge for a scheme. The error is put into the challenge of the scheme that was used, or into the first.
  private func challenge(_ scheme: AccessToken.Scheme, _ refusal: TokenRefusal) -> String {
    var parameters: [String] = []
    switch scheme {
    case .bearer: parameters.append("realm=\(TokenRefusal.quoted(realm))")
    case .dpop:
      if let verifier = dpop.verifier {
        parameters.append("algs=\(TokenRefusal.quoted(verifier.algorithms.map(\.name).joined(separator: " ")))")
      }
    }
    if let code = refusal.errorCode, scheme == refusal.scheme ?? dpop.schemes.first {
      parameters.append("error=\"\(code)\"")
    }
    // All that the request needs, before a token is asked for as well as after one that is good for less.
    if !scopes.isEmpty, refusal.status != .badRequest {
      parameters.append("scope=\(TokenRefusal.quoted(scopes.joined(separator: " ")))")
    }
    if let resource { parameters.append("resource_metadata=\(TokenRefusal.quoted(resource.metadataURL))") }
    return "\(scheme.name) \(parameters.joined(separator: ", "))"
  }

  private func addNonce(to response: inout Response) {
    if let nonce = dpop.verifier?.currentNonce { response.headers[.dpopNonce] = nonce }
  }
}

extension HTTPField.Name {
  static let dpop = HTTPField.Name("DPoP")!
  static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}

extension ProtectedResource {
  /// Answers a request for the metadata; nil for any other. Its body is not read.
  fileprivate func respond(to request: Request) -> HTTPResponseValue? {
    guard let path = request.head.path, path.contains("/.well-known/") else { return nil }
    var headers = HTTPHeaderFields()
    let asked = HTTPField.Name.accessControlRequestMethod
    for value in request.headers[values: asked] { try? headers.append(asked.canonicalName, value) }
    return respond(to: HTTPRequestValue(method: request.method.rawValue, url: path, headers: headers))
  }
}
