import JOSE
import PureCrypto
import StrictJSON

/// Users of another OpenID provider, which is asked whether a Mac's password is right by the grant that takes it: the
/// resource owner password credentials grant.
///
/// RFC 9700 §2.4 forbids that grant: this server sees passwords that are another's, the other can ask for no second
/// factor, and users learn to type passwords elsewhere. It is here for a provider that has nothing else for Macs, on
/// the way to passwords or keys of one's own; never choose it for a new one.
///
/// ```swift
/// let users = try ResourceOwnerPasswordUpstream(
///   issuer: "https://login.example.com", tokenEndpointURL: "https://login.example.com/token", clientID: "macs",
///   clientSecret: secret, records: records, transport: send)
/// ```
///
/// What the other's ID token says of a user is kept, for the ID tokens of this provider. An account that is locked
/// there is noticed when the password is asked for again, at the latest when
/// ``PlatformSSOProvider/loginLifetime`` is over without a refresh.
///
/// Source: RFC 6749 §4.3; RFC 9700 §2.4.
public struct ResourceOwnerPasswordUpstream: PlatformSSOUsers, Redacted {
  /// How many passwords of one user are asked about in a minute. One more, and no more are for five minutes: the Mac is
  /// told that the account is locked.
  private static let attempts = 10
  private static let pause = Duration.seconds(300)
  /// How long a user is known who doesn't log in again: longer than any login lasts.
  private static let memory = 365.0 * 86_400

  private let tokenEndpointURL: String
  private let clientID: String
  private let clientSecret: String
  private let scope: String
  private let claimNames: [String]
  private let verifier: RemoteJWTVerifier
  private let records: any RecordStore
  private let limiter: any RateLimiter
  private let transport: HTTPTransport
  private let clock: WallClock

  /// The users of an OpenID provider.
  ///
  /// - Parameters:
  ///   - issuer: the other provider, whose metadata name its keys.
  ///   - tokenEndpointURL: where it takes passwords.
  ///   - clientID: what this provider is called there.
  ///   - clientSecret: proves that, in the `Authorization` field (`client_secret_basic`).
  ///   - scope: what is asked for; `openid` must be in it.
  ///   - claimNames: what of the other's ID token goes into this provider's, besides `sub`.
  ///   - records: where users are kept: the provider's.
  ///   - limiter: counts passwords of a user, for all servers together.
  ///   - plainHTTP: whether the other may be on this machine, without TLS.
  ///   - clock: tells the time.
  ///   - transport: the caller's HTTP client.
  /// - Throws: `ErrorCode.callerMisuse` for an address that isn't `https`, and for a scope without `openid`.
  public init(
    issuer: String, tokenEndpointURL: String, clientID: String, clientSecret: String,
    scope: String = "openid profile email",
    claimNames: [String] = ["name", "given_name", "family_name", "preferred_username", "email", "groups"],
    records: any RecordStore, limiter: any RateLimiter = InMemoryRateLimiter(), plainHTTP: PlainHTTP = .refused,
    clock: WallClock = .system, transport: @escaping HTTPTransport
  ) throws(JOSEError) {
    for (name, url) in [("issuer", issuer), ("tokenEndpointURL", tokenEndpointURL)] where !plainHTTP.permits(url) {
      throw JOSEError(.callerMisuse, "passwords go to https URLs only", name: name)
    }
    guard scope.words.wireNames.contains("openid") else {
      throw JOSEError(.callerMisuse, "without openid there is no ID token, which says who the user is", name: "scope")
    }
    (self.tokenEndpointURL, self.clientID, self.clientSecret) = (tokenEndpointURL, clientID, clientSecret)
    (self.scope, self.claimNames, self.records, self.limiter) = (scope, claimNames, records, limiter)
    (self.transport, self.clock) = (transport, clock)
    let policy = JWTPolicy.idToken(
      issuer: .anyOf([issuer]), clientIDs: [clientID], answering: IDTokenRequest(nonce: nil), clock: clock)
    verifier = RemoteJWTVerifier(
      keys: RemoteKeySet(issuer: issuer, plainHTTP: plainHTTP, clock: clock, transport: transport),
      algorithms: SignatureAlgorithm.asymmetric, policy: policy)
  }

  /// Asks the other provider. It is wrong where the other says `invalid_grant`, and nothing is known of it where the
  /// other is out of reach, at fault, or refuses this client.
  ///
  /// - Throws: in that case.
  public func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    let decision = try await limiter.attempt(
      [RateLimitKey("upstream-password", userName)], limit: Self.attempts, blockDuration: Self.pause, now: clock.now)
    guard decision == .allowed else { return .locked }
    let form = FormFields([
      ("grant_type", GrantType.password), ("username", userName), ("password", password), ("scope", scope),
    ])
    var headers = HTTPHeaderFields(known: [("Accept", MediaType.json)])
    try headers.append("Authorization", AuthorizationCredentials.basic(clientID: clientID, secret: clientSecret))
    let response = try await transport(.post(form, to: tokenEndpointURL, headers: headers))
    switch OAuthAnswer.verdict(on: response) {
    case .answer: break
    case .refused("invalid_grant"): return .wrong
    case .refused, .busy, .unusable, .unanswered:
      throw JOSEError(.serverUnavailable, "the provider behind this one can't say whether a password is right")
    }
    let answer = try JSONObject(parsing: response.body, limits: OAuthAnswer.limits)
    guard let token = answer["id_token"]?.stringValue else {
      throw JOSEError(.claimMissing, "the answer has no ID token", name: "id_token")
    }
    let claims = try await verifier.verify(token).claims
    guard let subject = claims["sub"]?.stringValue else { throw JOSEError(.claimMissing, "the token has no sub") }
    var kept: JSONObject = ["sub": .string(subject)]
    for name in claimNames where kept[name] == nil { kept[name] = claims[name] }
    try await records.put(
      StoredRecord(
        kind: Self.kind, key: Self.key(userName), createdAt: clock.now, expiresAt: clock.now.advanced(by: Self.memory),
        document: kept.serialized(), attempt: SystemRandom.bytes(count: 16)))
    return .accepted
  }

  /// A user who has logged in here.
  ///
  /// - Throws: what the store throws; `ErrorCode.storeUnavailable` for a record that can't be read.
  public func user(_ name: String) async throws -> PlatformSSOUser? {
    guard let record = try await records.record(Self.kind, key: Self.key(name)),
      record.expiresAt.map({ clock.now < $0 }) ?? true
    else { return nil }
    guard var claims = try? JSONObject(parsing: record.document), let subject = claims["sub"]?.stringValue else {
      throw JOSEError(.storeUnavailable, "the record of a user can't be read")
    }
    claims["sub"] = nil
    return PlatformSSOUser(subject: subject, claims: claims)
  }

  private static let kind = StoredRecord.Kind(library: "upstream-user")

  /// A name of any length.
  private static func key(_ userName: String) -> [UInt8] { Array(SHA2.SHA256.hash(Array(userName.utf8))) }
}
