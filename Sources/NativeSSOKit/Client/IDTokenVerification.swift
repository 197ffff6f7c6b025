import JOSE
import PureCrypto
import StrictJSON

/// Verifies the ID tokens that a client receives.
///
/// Source: OpenID Connect Core 1.0 §3.1.3.7, §3.1.3.8.
struct IDTokenVerification: Sendable {
  let configuration: NativeSSOClientConfiguration

  /// An ID token that was verified, and what its `ds_hash` depends on.
  struct Verified: Sendable {
    let claims: IDTokenClaims
    let algorithm: String
  }

  /// Verifies signature, `iss`, `aud`, `azp`, `exp`, `iat`, `nonce` and `at_hash`.
  ///
  /// - Parameter nonce: the nonce of the request, or nil if none was sent.
  func verify(_ token: String, nonce: String?, accessToken: String) async throws(NativeSSOError) -> Verified {
    try requireSupported(token)
    let verified: VerifiedJWT<JSONObject>
    do throws(JOSEError) {
      verified = try await verifySignature(token)
    } catch {
      throw NativeSSOError(idToken: error)
    }
    let claims = try IDTokenClaims(registered: verified.registeredClaims, claims: verified.claims)
    if claims.audience.count > 1 || claims.authorizedParty != nil {
      guard let party = claims.authorizedParty, party.hasSameBytes(as: configuration.clientID) else {
        throw IDTokenClaims.invalid("azp")
      }
    }
    if let nonce {
      guard let claimed = claims.nonce, ConstantTime.equal(claimed.utf8, nonce.utf8) else {
        throw IDTokenClaims.invalid("nonce")
      }
    }
    if let hash = claims.accessTokenHash {
      guard let function = LeftHalfHash.Function(signatureAlgorithm: verified.header.algorithm),
        ConstantTime.equal(LeftHalfHash.value(of: accessToken, function: function).utf8, hash.utf8)
      else { throw IDTokenClaims.invalid("at_hash") }
    }
    return Verified(claims: claims, algorithm: verified.header.algorithm)
  }

  /// Verifies all but what depends on the request, and returns the claims.
  func claims(of token: String) async throws(JOSEError) -> JSONObject { try await verifySignature(token).claims }

  /// Says clearly what can't be checked here at all, before it looks like a forgery.
  private func requireSupported(_ token: String) throws(NativeSSOError) {
    let unverified: UnverifiedToken
    do throws(JOSEError) {
      unverified = try UnverifiedToken(parsing: token)
    } catch {
      throw NativeSSOError(idToken: error)
    }
    guard unverified.unverifiedPayload != nil else {
      throw NativeSSOError(.encryptedIDToken, "an encrypted ID token can't serve other apps")
    }
    let name = unverified.unverifiedHeader.algorithm
    if SignatureAlgorithm(name: name) == nil, !name.asciiLowercased.hasSameBytes(as: "none") {
      throw NativeSSOError(.algorithmUnsupported, "the ID token's signature algorithm is not implemented", name: "alg")
    }
  }

  private func verifySignature(_ token: String) async throws(JOSEError) -> VerifiedJWT<JSONObject> {
    var isRefreshing = false
    while true {
      guard let keys = try? await configuration.keys(isRefreshing) else {
        throw JOSEError(.externalKeyFailed, "the provider's keys are not available", name: "jwks_uri")
      }
      do throws(JOSEError) {
        return try verifier(keys).verify(token)
      } catch {
        // A provider that has just rotated its keys is asked once for the new ones.
        guard error.code == .keyNotFound, !isRefreshing else { throw error }
        isRefreshing = true
      }
    }
  }

  private func verifier(_ keys: JWKSet) -> JWTVerifier {
    JWTVerifier(
      keys: keys, algorithms: SignatureAlgorithm.asymmetric,
      policy: JWTPolicy(
        issuer: .anyOf([configuration.metadata.issuer]), audience: .anyOf([configuration.clientID]),
        requiredClaims: ["exp", "iat", "sub"], leeway: configuration.leeway, refusesFutureIssuedAt: true,
        // As for ID tokens in JOSE: no bearer shows it.
        bindingIsChecked: true, clock: configuration.clock))
  }
}

extension SignatureAlgorithm {
  /// Every implemented algorithm whose verification key is public. An HMAC would let whoever can verify also sign.
  static var asymmetric: [SignatureAlgorithm] { allCases.filter { $0.row.keyType != .oct } }
}
