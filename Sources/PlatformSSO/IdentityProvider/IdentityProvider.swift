import JOSE

/// An identity provider's side of Platform SSO: checks the requests that Macs send, and makes the responses.
///
/// Nothing here opens a socket or a database. Each method takes the HTTP request that came, asks the ``store`` what it must know, and
/// returns the checked message or the HTTP response to send.
///
/// ```swift
/// let nonceResponse = try provider.serverNonceResponse(to: request)
///
/// let refresh = try await provider.refreshRequest(from: request)
/// let token = try provider.idToken(for: refresh, subject: user.id)
/// return try provider.loginResponse(
///   to: refresh, LoginResponse(idToken: token, refreshToken: newToken, refreshTokenExpiresIn: 28_800))
/// ```
///
/// `id_token` is signed with ES256 or RS256, which are all that a Mac takes.
///
/// Every method throws ``PlatformSSOError``; ``errorResponse(for:)`` turns it into what a Mac understands.
public struct IdentityProvider: Sendable {
  /// Names, addresses and rules.
  public var configuration: IdentityProviderConfiguration

  /// Makes and checks server nonces, unless ``nonceStore`` does.
  public var serverNonces: ServerNonces

  /// Makes and checks server nonces in place of ``serverNonces``, for providers that keep them in a database.
  public var nonceStore: (any ServerNonceStore)?

  /// Remembers what must not be used twice.
  public var replayStore: any ReplayStore

  /// What the provider knows about devices, tokens and users.
  public var store: any IdentityProviderStore

  /// The key that signs `id_token`, for ES256 or RS256. Its public half is in the provider's key set.
  public var idTokenKey: SigningKey

  /// Where "now" comes from.
  public var clock: WallClock

  /// An identity provider.
  ///
  /// - Parameters:
  ///   - configuration: names, addresses and rules; every machine has the same.
  ///   - serverNonces: with the same secret on all machines that answer for one provider.
  ///   - store: what the provider knows about devices, tokens and users. Its errors become ``PlatformSSOErrorCode/storeUnavailable``.
  ///   - idTokenKey: signs `id_token`, for ES256 or RS256. Devices verify with its public half, so that must stand in the provider's key
  ///     set.
  ///   - replayStore: shared by these machines too. The default serves one process.
  ///   - nonceStore: makes and checks server nonces in place of `serverNonces`.
  ///   - clock: dates what is issued, and judges what has expired.
  /// - Throws: ``PlatformSSOErrorCode/keyUnsuitable`` for a key of another algorithm: no Mac would take what it signs.
  public init(
    configuration: IdentityProviderConfiguration, serverNonces: ServerNonces = ServerNonces(),
    store: any IdentityProviderStore, idTokenKey: SigningKey, replayStore: any ReplayStore = InMemoryReplayStore(),
    nonceStore: (any ServerNonceStore)? = nil, clock: WallClock = .system
  ) throws(PlatformSSOError) {
    try Self.requireSuitable(idTokenKey)
    self.configuration = configuration
    self.serverNonces = serverNonces
    self.replayStore = replayStore
    self.store = store
    self.idTokenKey = idTokenKey
    self.nonceStore = nonceStore
    self.clock = clock
  }

  /// Requires that Macs take what a key signs.
  ///
  /// Source: Apple, Processing the JSON Web Encryption (JWE) login response.
  static func requireSuitable(_ idTokenKey: SigningKey) throws(PlatformSSOError) {
    guard IDTokenRules.algorithms.contains(idTokenKey.algorithm) else {
      throw PlatformSSOError(.keyUnsuitable, "an id_token is signed with ES256 or RS256", name: "idTokenKey")
    }
  }
}

/// What device and provider both know of `id_token`.
enum IDTokenRules {
  /// What signs it.
  static let algorithms: [SignatureAlgorithm] = [.es256, .rs256]
}
