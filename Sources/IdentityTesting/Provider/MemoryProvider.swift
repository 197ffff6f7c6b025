import JOSE
import NativeSSOKit
import OpenIDKit
import PureCrypto

/// A whole provider in memory, made of the services that every provider is made of: codes with proof keys, refresh
/// tokens that rotate, pushed requests, the token exchange of Native SSO, and revocation. For development, tests and
/// demonstrations.
///
/// ```swift
/// let provider = try MemoryProvider(issuer: "https://op.example.com", clients: [client])
/// try await provider.sessions.addUser("jane")
/// let redirect = try await provider.authorize(url: url, sessionID: "s")       // once the user has logged in
/// let response = await provider.respond(to: tokenRequest)
/// ```
public struct MemoryProvider: Sendable {
  /// Device secrets and the exchange. Its clients, keys and clock are those of the whole provider.
  public var native: NativeSSOProvider
  /// The users and their sessions.
  public let sessions: SessionRecords
  /// Issues, rotates and revokes refresh tokens, whose records are in memory.
  public let refreshTokens: RefreshTokenService
  private let codes: AuthorizationCodeService
  /// Whether authorization requests must be pushed.
  package var requiresPushedRequests = false
  /// The nonces of proofs of possession, if each request for tokens must have a proof: tokens are bound to its key.
  package var proofNonces: DPoPNonces?

  /// A provider.
  ///
  /// - Parameters:
  ///   - issuer: the issuer identifier.
  ///   - clients: who may ask for tokens.
  ///   - keys: of ID tokens and access tokens; nil for a fresh one, for ES256.
  ///   - sessions: the users and their sessions.
  ///   - records: where codes, refresh tokens and device secrets are kept.
  ///   - clock: tells the time.
  /// - Throws: `ErrorCode.settingInvalid`, and what the keys throw.
  public init(
    issuer: String, clients: [RegisteredClient], keys: IssuerKeys? = nil,
    sessions: SessionRecords = SessionRecords(), records: any RecordStore = MemoryRecordStore(),
    clock: WallClock = .system
  ) throws {
    let keys = try keys ?? IssuerKeys(signing: .generate(.es256, keyID: "op-1"))
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: SystemRandom.bytes(count: 32)), sessions: sessions, records: records,
      clock: clock)
    self.sessions = sessions
    refreshTokens = service
    codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil, clock: clock)
    let accessTokens = MemoryAccessTokens(issuer: issuer, keys: keys, clock: clock)
    native = NativeSSOProvider(
      issuer: issuer, keys: keys, clients: StaticClientDirectory(clients), sessions: sessions,
      tokens: service.tokenIssuer { grant, family in try accessTokens.token(for: grant, family) },
      settings: SettingsResolver(try NativeSSOSettings(enabled: true)), records: records, clock: clock)
  }

  /// Answers an authorization request of a session that has agreed to it.
  ///
  /// - Returns: where to send the browser: to the client, with a code or with an error.
  /// - Throws: `OAuthAuthorizationRequest.Refusal` if that must not be answered at a client; `ErrorCode.urlInvalid` for
  ///   what is no URL.
  public func authorize(url: String, sessionID: String) async throws -> String {
    _ = try URIComponents(parsing: url)
    var fields = try OAuthAuthorizationRequest.parameters(of: HTTPRequestValue(method: "GET", url: url))
    let clientID = fields.values("client_id").first ?? ""
    var client = try await native.clients.client(id: clientID).map { OAuthAuthorizationRequest.Client($0) }
    client?.requiresPushedRequests = requiresPushedRequests
    let reference = fields.values("request_uri").first
    if let reference, let pushed = try await pushedRequests.take(reference, clientID: clientID) { fields = pushed }
    do {
      let asked = try OAuthAuthorizationRequest(fields, of: client, isPushed: reference != nil)
      guard asked.scopes.wireNames.contains("openid") else {
        throw asked.refusal("invalid_scope", "The scope openid is missing")
      }
      let session = try await sessions.session(id: sessionID)
      guard let session, try await sessions.whyEnded(userID: session.userID, sessionID: session.id) == nil else {
        throw asked.refusal("login_required", "No user is logged in")
      }
      var login = BrowserLogin(session)
      login.subject = try await sessions.subject(userID: session.userID, clientID: asked.clientID)
      (login.isForThisRequest, login.hasAgreedNow) = (true, true)
      let verifier = JWTVerifier(
        keys: native.keys.verification, algorithms: [native.keys.signing.algorithm],
        policy: .idTokenHint(issuer: native.issuer, clock: native.clock))
      let hinted = asked.idTokenHint.flatMap { try? verifier.verify($0).registeredClaims.subject }
      if case .refuse(let refusal) = asked.decision(
        for: login, hintedSubject: hinted, needing: [], at: native.clock.now)
      {
        throw refusal
      }
      let code = try await codes.issue(AuthorizationCodeGrant(asked, subject: session.userID, sessionID: session.id))
      return asked.answerURL(code: code, issuer: native.issuer)
    } catch let refusal as OAuthAuthorizationRequest.Refusal {
      guard let location = refusal.answerURL(issuer: native.issuer) else { throw refusal }
      return location
    }
  }

  /// Answers a request to the token endpoint or, if its URL ends with `/revoke`, to the revocation endpoint, or with
  /// `/par`, to that of pushed requests.
  ///
  /// - Parameters:
  ///   - request: as it came.
  ///   - sourceAddress: where it comes from, for the rate limit.
  public func respond(to request: HTTPRequestValue, sourceAddress: String = "192.0.2.1") async -> HTTPResponseValue {
    guard !request.url.hasSuffix("/revoke") else {
      return await native.revocationEndpoint().respond(to: request)
    }
    guard !request.url.hasSuffix("/par") else {
      return await (try? pushedRequests)?.respond(to: request) ?? HTTPResponseValue(status: 500)
    }
    let (accessTokens, proofs) = (accessTokens, proofs)
    let tokenType = proofs == nil ? "Bearer" : "DPoP"
    let native = issuing(tokenType)
    let endpoint = TokenEndpoint(
      grants: [
        .authorizationCode(codes) { code, request in
          let presented = request.form.values("device_secret").first
          return try await native.tokens(for: AcceptedGrant(code, presentedDeviceSecret: presented)).issued
        },
        .refreshToken(refreshTokens) { grant, request in
          try await native.refreshTokens(
            of: grant, request.form, accessToken: accessTokens.token(for: grant.grant, grant.family),
            tokenType: tokenType)
        },
        .tokenExchange { _ in native },
      ],
      authenticate: { request, form in
        var client = try await native.clients.authenticate(request, form)
        client?.confirmation = try await proofs?.thumbprint(of: request)
        return client
      })
    var response = await endpoint.respond(to: request, sourceAddress: sourceAddress)
    if let nonce = proofs?.currentNonce { try? response.headers.set("DPoP-Nonce", nonce) }
    return response
  }

  /// The provider of Native SSO, whose tokens are of a type.
  private func issuing(_ tokenType: String) -> NativeSSOProvider {
    guard proofNonces != nil else { return native }
    let accessTokens = accessTokens
    var native = native
    native.tokens = refreshTokens.tokenIssuer(tokenType: tokenType) { grant, family in
      try accessTokens.token(for: grant, family)
    }
    return native
  }

  private var proofs: DPoPVerifier? {
    proofNonces.map { nonces in
      var proofs = DPoPVerifier(clock: native.clock, records: native.records)
      proofs.nonces = .required(nonces)
      return proofs
    }
  }

  private var pushedRequests: PushedAuthorizationEndpoint {
    get throws(OpenIDError) {
      let clients = native.clients
      return try PushedAuthorizationEndpoint(
        records: native.records, clock: native.clock, authenticate: clients.authenticate
      ) { form, client in
        let registered = try await clients.client(id: client.id)
        _ = try OAuthAuthorizationRequest(form, of: registered.map { .init($0) }, isPushed: true)
      }
    }
  }

  /// What an access token was given for; nil if it is not good, or not any more.
  ///
  /// - Throws: what the records throw.
  public func grant(accessToken: String) async throws -> RefreshGrant? {
    guard let id = accessTokens.family(of: accessToken) else { return nil }
    return try await activeGrant(of: id)
  }

  func activeGrant(of id: RefreshTokenFamily.ID) async throws -> RefreshGrant? {
    let family = try await RefreshTokenFamilyRecords(native.records, idleTimeout: nil).family(id)
    return family?.status == .active ? family?.grant : nil
  }

  private var accessTokens: MemoryAccessTokens {
    MemoryAccessTokens(issuer: native.issuer, keys: native.keys, clock: native.clock)
  }
}

extension DPoPVerifier {
  /// The thumbprint of the key by which a request for tokens is proved.
  fileprivate func thumbprint(of request: HTTPRequestValue) async throws(OAuthErrorResponse) -> String {
    do throws(JOSEError) {
      let fields = request.headers.values("DPoP")
      if let proof = try await verify(fields: fields, method: request.method, url: request.url) {
        return proof.thumbprint
      }
    } catch {
      guard error.code != .dpopNonceRequired else {
        throw OAuthErrorResponse(.useDPoPNonce, "The proof needs a nonce of this server")
      }
    }
    throw OAuthErrorResponse(.invalidDPoPProof, "The proof of possession is absent or not valid")
  }
}
