import JOSE
import PureCrypto
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
  /// Seconds by which clocks may differ. Default 60.
  public var leeway: Double
  /// Whether a token without a nonce passes if it says that its platform supports none. Only for old platforms.
  public var allowsMissingNonceWhenUnsupported: Bool
  /// Where "now" comes from.
  public var clock: WallClock

  /// A verifier for tokens of the given client identifiers.
  public init(
    audiences: [String], service: AppleService = .apple, leeway: Double = 60,
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
  /// - Throws: ``SignInWithAppleError``: in this order the token's form, its algorithm, its key, its signature, issuer,
  ///   audience, times, nonce, subject, hashes, the other claims.
  public func verify(
    _ token: String, keys: JWKSet, nonce: AppleNonce?, origin: AppleIdentityTokenOrigin
  ) throws(SignInWithAppleError) -> AppleIdentity {
    try verify(token, keys, origin) { (claims) throws(SignInWithAppleError) in try checkNonce(claims, nonce) }
  }

  /// Verifies a token from a refresh. It need not have a nonce; if it has one, that is the sign-in's, if that is known.
  ///
  /// Source: OpenID Connect Core 1.0 §12.2.
  func verifyRefreshed(
    _ token: String, keys: JWKSet, nonce: AppleNonce?, accessToken: String
  ) throws(SignInWithAppleError) -> AppleIdentity {
    try verify(token, keys, .tokenResponse(accessToken: accessToken)) { (claims) throws(SignInWithAppleError) in
      if let nonce, claims["nonce"] != nil { try checkNonce(claims, nonce) }
    }
  }

  private func verify(
    _ token: String, _ keys: JWKSet, _ origin: AppleIdentityTokenOrigin,
    checkingNonce check: (JSONObject) throws(SignInWithAppleError) -> Void
  ) throws(SignInWithAppleError) -> AppleIdentity {
    let verified = try SignedByApple.verify(
      token, keys: keys, service: service, audience: .anyOf(audiences), requiredClaims: ["exp", "iat"],
      leeway: leeway, maximumByteCount: 16 * 1024, clock: clock)
    let registered = verified.registeredClaims
    guard let audience = registered.audience, audience.count == 1 else {
      throw SignInWithAppleError(.claimMismatch, "the token is for more than one audience", name: "aud")
    }
    guard let issuedAt = registered.issuedAt, let expiration = registered.expiration else {
      throw SignInWithAppleError(.claimMissing, "a required claim is absent", name: "iat")
    }
    try check(verified.claims)
    guard let subject = registered.subject, !subject.isEmpty else {
      throw SignInWithAppleError(.claimMissing, "a required claim is absent", name: "sub")
    }
    guard subject.utf8.count <= 255 else {
      throw SignInWithAppleError(.claimInvalid, "a claim has an illegal type or value", name: "sub")
    }
    try checkHash(verified.claims, "c_hash", of: origin.code, isRequired: origin.requiresCodeHash)
    try checkHash(verified.claims, "at_hash", of: origin.accessToken, isRequired: false)
    let identity = try AppleIdentity(
      claims: verified.claims, subject: subject, audience: audience[0], issuedAt: issuedAt, expiration: expiration)
    if let authenticated = identity.authenticationTime, authenticated > clock.now.advanced(by: leeway) {
      throw SignInWithAppleError(.claimNotYetValid, "the user authenticated in the future", name: "auth_time")
    }
    return identity
  }

  private func checkNonce(_ claims: JSONObject, _ nonce: AppleNonce?) throws(SignInWithAppleError) {
    let claimed = try claims.optionalClaim("nonce", \.stringValue)
    switch (nonce, claimed) {
    case (nil, nil):
      return
    case (nil, _?):
      throw SignInWithAppleError(.nonceMismatch, "the token was made for another request", name: "nonce")
    case (let nonce?, let claimed?):
      guard ConstantTime.equal(Array(claimed.utf8), Array(nonce.claim.utf8)) else {
        throw SignInWithAppleError(.nonceMismatch, "the token was made for another request", name: "nonce")
      }
    case (_?, nil):
      let isSupported = claims["nonce_supported"].flatMap(AppleBoolean.read) ?? false
      guard allowsMissingNonceWhenUnsupported, !isSupported else {
        throw SignInWithAppleError(.nonceMissing, "the token has no nonce", name: "nonce")
      }
    }
  }

  /// `c_hash` and `at_hash`: the left half of SHA-256, in base64url.
  private func checkHash(
    _ claims: JSONObject, _ name: String, of value: String?, isRequired: Bool
  ) throws(SignInWithAppleError) {
    guard let claimed = try claims.optionalClaim(name, \.stringValue) else {
      guard !isRequired else { throw SignInWithAppleError(.claimMissing, "a required claim is absent", name: name) }
      return
    }
    guard let value else { return }
    guard claimed.hasSameBytes(as: AppleTokenHash.leftHalf(of: value)) else {
      throw SignInWithAppleError(.claimMismatch, "the token belongs to another code or access token", name: name)
    }
  }
}

/// The left half of a token's hash, as `c_hash` and `at_hash` have it.
///
/// Source: OpenID Connect Core 1.0 §3.1.3.6, §3.3.2.11.
package enum AppleTokenHash {
  package static func leftHalf(of value: String) -> String {
    Base64URL.encode(SHA2.SHA256.hash(value.utf8).prefix(16))
  }
}
