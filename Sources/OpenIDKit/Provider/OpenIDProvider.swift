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
  /// The keys of its tokens. Set them anew, in the copy that answers a request, where they rotate.
  public var keys: IssuerKeys
  private var shared: Shared

  /// Everything but the keys. Copies share it, so that to keep the provider in a closure costs next to nothing.
  private final class Shared: Sendable {
    let parts: ProviderParts
    init(_ parts: ProviderParts) { self.parts = parts }
  }

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
  ///   - onEvent: is told what happens, in the task of a request, whose answer waits for it. That task may be cancelled
  ///     when the client goes away.
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
    if let time = policy.statusListTimeToLive, time < .seconds(10) || time > .seconds(86_400) {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: "statusListTimeToLive")
    }
    self.keys = keys
    shared = Shared(
      try ProviderParts(issuer, address, clients, sessions, refreshTokens, records, policy, clock, onEvent))
  }

  // MARK: Parts

  /// `iss`: the address of this server, without a slash at its end.
  public var issuer: String { shared.parts.addresses.issuer }
  /// Where requests come to.
  var addresses: ProviderAddresses { shared.parts.addresses }
  /// The status list as it was made last.
  var statusCache: StatusListCache { shared.parts.statusCache }
  /// Issues, rotates and revokes refresh tokens.
  public var refreshTokens: RefreshTokenService { shared.parts.refreshTokens }
  package var codes: AuthorizationCodeService { shared.parts.codes }
  /// What is decided about tokens.
  package var policy: ProviderPolicy { shared.parts.policy }
  /// Where "now" comes from.
  public var clock: WallClock { shared.parts.clock }
  /// Is told what happens.
  var onEvent: @Sendable (ProviderEvent) async -> Void { shared.parts.onEvent }

  /// Who may ask for tokens.
  package var clients: any ClientDirectory {
    get { shared.parts.clients }
    set { change { $0.clients = newValue } }
  }
  /// Who is logged in.
  package var sessions: any SessionDirectory {
    get { shared.parts.sessions }
    set { change { $0.sessions = newValue } }
  }
  /// Where codes, refresh tokens, pushed requests and device secrets are kept.
  public var records: any RecordStore {
    get { shared.parts.records }
    set { change { $0.records = newValue } }
  }
  /// Checks proofs of possession. By default they need no nonce.
  public var proofs: DPoPVerifier {
    get { shared.parts.proofs }
    set { change { $0.proofs = newValue } }
  }
  /// Further grants of the token endpoint.
  public var grants: [TokenEndpoint.Grant] {
    get { shared.parts.grants }
    set { change { $0.grants = newValue } }
  }
  /// Counts exchanges of device secrets.
  public var rateLimiter: any RateLimiter {
    get { shared.parts.rateLimiter }
    set { change { $0.rateLimiter = newValue } }
  }
  /// Whether something may be kept for a client that proves nothing: a request, a proof. False if its source has sent
  /// too many; by default 600 a minute, counted in memory.
  public var mayKeep: @Sendable (_ source: String) async throws -> Bool {
    get { shared.parts.mayKeep }
    set { change { $0.mayKeep = newValue } }
  }
  /// What a module above this one adds.
  package var addition: (any ProviderAddition)? {
    get { shared.parts.addition }
    set { change { $0.addition = newValue } }
  }
  /// Makes and ends tokens. A test may set another.
  package var tokens: any TokenIssuer {
    get {
      shared.parts.otherTokens
        ?? RefreshTokenIssuer(service: refreshTokens) { grant, family in
          try await accessToken(for: grant, family)
        }
    }
    set { change { $0.otherTokens = newValue } }
  }

  private mutating func change(_ change: (inout ProviderParts) -> Void) {
    var parts = shared.parts
    change(&parts)
    shared = Shared(parts)
  }

  /// The access tokens that were revoked before they expired.
  var revokedTokens: RevokedTokens { RevokedTokens(records: records, clock: clock) }
}

extension OpenIDProvider: Redacted {}
