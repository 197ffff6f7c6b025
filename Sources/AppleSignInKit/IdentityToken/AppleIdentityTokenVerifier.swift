import JOSE
import StrictJSON

/// Verifies Apple's identity tokens.
///
/// ```swift
/// let verifier = AppleIdentityTokenVerifier(audiences: ["com.example.app", "com.example.web"])
/// let keys = try await keyStore.keys(for: token)
/// let identity = try verifier.verify(token, keys: keys, nonce: nonce, origin: .nativeApp())
/// ```
///
/// Which algorithms are accepted is a fact of the ``service``: for Apple RS256 alone.
///
/// Source: Apple, Verifying a user; OpenID Connect Core 1.0 §3.1.3.7, §3.3.2.11.
public struct AppleIdentityTokenVerifier: Sendable {
  /// Who issues the tokens and with which algorithms.
  public var service: AppleService
  /// The client identifiers that tokens may be for: ours. A token for anybody else's app is a valid login for its
  /// developer.
  public var audiences: [String]
  /// By how much clocks may differ. The default is a minute.
  public var leeway: Duration
  /// Whether a token without a nonce passes if it says that its platform supports none. Only for old platforms.
  public var allowsMissingNonceWhenUnsupported: Bool
  /// Where "now" comes from.
  public var clock: WallClock

  /// A verifier for tokens of the given client identifiers.
  public init(
    audiences: [String], service: AppleService = .apple, leeway: Duration = .seconds(60),
    allowsMissingNonceWhenUnsupported: Bool = false, clock: WallClock = .system
  ) {
    (self.audiences, self.service, self.leeway) = (audiences, service, leeway)
    (self.allowsMissingNonceWhenUnsupported, self.clock) = (allowsMissingNonceWhenUnsupported, clock)
  }

  /// Verifies a token.
  ///
  /// - Parameters:
  ///   - token: a compact JWS of 16 KiB at most.
  ///   - keys: the service's key set; see ``AppleKeyStore``.
  ///   - nonce: what was sent with this sign-in; nil only if none was.
  ///   - origin: where the token came from.
  /// - Throws: `JOSEError`: in this order the token's form, its algorithm, its key, its signature, issuer,
  ///   audience, times, subject, nonce, hashes, the other claims.
  public func verify(
    _ token: String, keys: JWKSet, nonce: AppleNonce?, origin: AppleIdentityTokenOrigin
  ) throws(JOSEError) -> AppleIdentity {
    try verify(
      parsed: SignedByApple.parsed(token, maximumByteCount: Self.maximumByteCount), keys: keys, nonce: nonce,
      origin: origin)
  }

  /// Verifies a token with the keys of a store, which looks for the key that the token names.
  func verify(
    _ token: String, keysOf store: AppleKeyStore, nonce: AppleNonce?, origin: AppleIdentityTokenOrigin
  ) async throws(JOSEError) -> AppleIdentity {
    let token = try SignedByApple.parsed(token)
    return try verify(parsed: token, keys: try await store.keys(for: token), nonce: nonce, origin: origin)
  }

  private static let maximumByteCount = 16 * 1024

  private func verify(
    parsed token: UnverifiedJWS, keys: JWKSet, nonce: AppleNonce?, origin: AppleIdentityTokenOrigin
  ) throws(JOSEError) -> AppleIdentity {
    var request = IDTokenRequest(nonce: nonce?.claim)
    request.requiresNonce = nonce == nil || !allowsMissingNonceWhenUnsupported
    let verified = try verify(token, keys, origin, answering: request)
    let claims = verified.claims
    if nonce != nil, claims["nonce"]?.stringValue == nil, claims["nonce_supported"].flatMap(AppleBoolean.read) ?? false
    {
      throw Self.nonceMissing
    }
    return try AppleIdentity(verified)
  }

  /// Verifies a token from a refresh. It need not have a nonce; if it has one, that is the sign-in's, if that is known.
  ///
  /// Source: OpenID Connect Core 1.0 §12.2.
  func verifyRefreshed(
    parsed token: UnverifiedJWS, keys: JWKSet, nonce: AppleNonce?, accessToken: String
  ) throws(JOSEError) -> AppleIdentity {
    var request = IDTokenRequest.refresh
    request.nonce = nonce?.claim
    return try AppleIdentity(verify(token, keys, .tokenResponse(accessToken: accessToken), answering: request))
  }

  private func verify(
    _ token: UnverifiedJWS, _ keys: JWKSet, _ origin: AppleIdentityTokenOrigin, answering request: IDTokenRequest
  ) throws(JOSEError) -> VerifiedJWT<JSONObject> {
    var request = request
    (request.accessToken, request.code) = (origin.accessToken, origin.code)
    request.requiresCodeHash = origin.requiresCodeHash
    let policy = JWTPolicy.idToken(
      issuer: .anyOf([service.issuer]), clientIDs: audiences, answering: request,
      leeway: leeway, clock: clock)
    do throws(JOSEError) {
      return try SignedByApple.verify(
        token, keys: keys, service: service, policy: policy, maximumByteCount: Self.maximumByteCount)
    } catch {
      switch (error.code, error.name) {
      case (.claimMissing, "nonce"): throw Self.nonceMissing
      case (.claimMismatch, "nonce"):
        throw JOSEError(.nonceMismatch, "the token was made for another request", name: "nonce")
      default: throw error
      }
    }
  }

  private static var nonceMissing: JOSEError {
    JOSEError(.nonceMissing, "the token has no nonce", name: "nonce")
  }
}
