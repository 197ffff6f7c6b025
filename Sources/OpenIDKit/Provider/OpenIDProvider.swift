import JOSE
import PureCrypto
import StrictJSON

/// An OpenID provider in one value: it answers what programs call, and decides about what browsers bring. Pages,
/// passwords and users are its server's.
///
/// ```swift
/// let provider = try OpenIDProvider(
///   issuer: "https://login.example.com", keys: IssuerKeys(signing: key), clients: clients, sessions: sessions,
///   refreshTokens: RefreshTokenFormat(key: secret), records: records)
///
/// // Tokens, revocation, introspection, userinfo, pushed requests, metadata and keys:
/// if let response = await provider.respond(to: request, from: address) { return response }
/// ```
///
/// Who is logged in, and may be, is asked of ``SessionDirectory`` wherever tokens come out; nothing has to remember it.
///
/// Source: OpenID Connect Core 1.0; RFC 6749; RFC 7009; RFC 7662; RFC 8414; RFC 8628; RFC 9068; RFC 9126; RFC 9449.
public struct OpenIDProvider: Sendable {
  /// `iss`: the address of this server, without a slash at its end.
  public let issuer: String
  /// The keys of its tokens. Set them anew, in the copy that answers a request, where they rotate.
  public var keys: IssuerKeys
  /// Who may ask for tokens.
  package var clients: any ClientDirectory
  /// Who is logged in.
  package var sessions: any SessionDirectory
  /// Issues, rotates and revokes refresh tokens.
  public let refreshTokens: RefreshTokenService
  /// Where codes, refresh tokens, pushed requests and device secrets are kept.
  public var records: any RecordStore
  /// What is decided about tokens.
  package let policy: ProviderPolicy
  /// Checks proofs of possession. By default they need no nonce.
  public var proofs: DPoPVerifier
  /// Further grants of the token endpoint.
  public var grants: [TokenEndpoint.Grant] = []
  /// Counts exchanges of device secrets.
  public var rateLimiter: any RateLimiter = InMemoryRateLimiter()
  /// Whether something may be kept for a client that proves nothing: a request, a proof. False if its source has sent
  /// too many; by default 600 a minute, counted in memory.
  public var mayKeep: @Sendable (_ source: String) async throws -> Bool
  /// Where "now" comes from.
  public let clock: WallClock
  /// Is told what happens.
  let onEvent: @Sendable (ProviderEvent) async -> Void

  /// What a module above this one adds.
  package var addition: (any ProviderAddition)?
  package let codes: AuthorizationCodeService
  private var otherTokens: (any TokenIssuer)?

  /// A provider.
  ///
  /// - Parameters:
  ///   - issuer: `iss`, an absolute address without query and without a slash at its end.
  ///   - keys: sign tokens.
  ///   - clients: who may ask for tokens.
  ///   - sessions: who is logged in.
  ///   - refreshTokens: how refresh tokens are written, with their secret key.
  ///   - records: where codes, refresh tokens and pushed requests are kept: one store for all servers.
  ///   - policy: what is decided about tokens.
  ///   - clock: tells the time.
  ///   - onEvent: is told what happens.
  /// - Throws: `ErrorCode.settingInvalid`, with the setting's name.
  public init(
    issuer: String, keys: IssuerKeys, clients: any ClientDirectory, sessions: any SessionDirectory,
    refreshTokens: RefreshTokenFormat, records: any RecordStore, policy: ProviderPolicy = ProviderPolicy(),
    clock: WallClock = .system, onEvent: @escaping @Sendable (ProviderEvent) async -> Void = { _ in }
  ) throws(OpenIDError) {
    guard let address = try? URIComponents(parsing: issuer), address.host != nil, address.query == nil,
      address.fragment == nil, issuer.utf8.last != UInt8(ascii: "/")
    else { throw OpenIDError(.settingInvalid, "the issuer is not an absolute address", name: "issuer") }
    if let page = policy.devicePage {
      let lifetime = policy.deviceCodeLifetime
      guard let address = try? URIComponents(parsing: page), address.host != nil, address.fragment == nil else {
        throw OpenIDError(.settingInvalid, "the page for devices is not an absolute address", name: "devicePage")
      }
      guard lifetime >= .seconds(60), lifetime <= .seconds(1800) else {
        throw OpenIDError(.settingInvalid, "a setting is out of range", name: "deviceCodeLifetime")
      }
    }
    (self.issuer, self.keys, self.clients, self.sessions) = (issuer, keys, clients, sessions)
    (self.records, self.policy, self.clock, self.onEvent) = (records, policy, clock, onEvent)
    self.refreshTokens = try RefreshTokenService(
      policy: policy.rotation, format: refreshTokens, sessions: sessions, records: records, clock: clock
    ) { event in
      Task { await onEvent(.refreshToken(event)) }
    }
    // Longer than an access token lives, which ends with its code.
    let retention = Duration.seconds(policy.rotation.maximumAccessTokenLifetime.inSeconds + 86_400)
    codes = try AuthorizationCodeService(
      refreshTokens: self.refreshTokens, lifetime: policy.codeLifetime, retention: retention,
      revokedTokens: RevokedTokens(records: records, clock: clock), clock: clock
    ) { event in
      Task { await onEvent(.code(event)) }
    }
    proofs = DPoPVerifier(
      algorithms: [.es256, .ps256, .rs256, .ed25519, .eddsa], clock: clock, records: records)
    let kept = InMemoryRateLimiter()
    mayKeep = { source in
      let decision = await kept.attempt(
        [RateLimitKey("kept", source)], limit: 600, blockDuration: .seconds(60), now: clock.now)
      return decision == .allowed
    }
  }

  /// Makes and ends tokens. A test may set another.
  package var tokens: any TokenIssuer {
    get {
      otherTokens
        ?? RefreshTokenIssuer(service: refreshTokens) { grant, family in
          try await accessToken(for: grant, family)
        }
    }
    set { otherTokens = newValue }
  }

  /// The access tokens that were revoked before they expired.
  var revokedTokens: RevokedTokens { RevokedTokens(records: records, clock: clock) }
}

extension OpenIDProvider: Redacted {}
