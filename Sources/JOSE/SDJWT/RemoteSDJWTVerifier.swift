import StrictJSON

/// Verifies tokens with selective disclosure with the keys that their issuer publishes, as ``SDJWTVerifier`` does.
///
/// ```swift
/// let keys = RemoteKeySet(issuer: "https://hr.example.com", metadata: .credential, transport: send)
/// let verifier = RemoteSDJWTVerifier(
///   verifier: RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy),
///   keyBinding: .required(audience: "https://shop.example", nonce: nonce))
/// let token = try await verifier.verify(text)
/// ```
///
/// The issuer is one that the caller names, and never the one that a token names, which could be any server.
/// For several issuers, make a verifier for each, and choose by the token's unverified `iss`.
public struct RemoteSDJWTVerifier: Sendable {
  private let issuer: RemoteJWTVerifier
  private let keyBinding: KeyBindingPolicy
  private let hashes: [ThumbprintHash]

  /// As ``SDJWTVerifier/credentialTypes``.
  public var credentialTypes: [String]?

  /// As ``SDJWTVerifier/acceptsFurtherTypes``.
  public var acceptsFurtherTypes = false

  /// - Parameters:
  ///   - verifier: the issuer's keys, and what the claims must say.
  ///   - keyBinding: whether who shows the token must be its holder.
  ///   - hashes: those accepted of disclosures.
  public init(
    verifier: RemoteJWTVerifier, keyBinding: KeyBindingPolicy, hashes: [ThumbprintHash] = ThumbprintHash.allCases
  ) {
    (issuer, self.keyBinding, self.hashes) = (verifier.checkingBinding, keyBinding, hashes)
  }

  /// Verifies a token and decodes its claims, as a `JSONObject` unless another type is given.
  ///
  /// - Throws: as ``SDJWTVerifier`` and ``RemoteJWTVerifier/verify(_:as:)``.
  public func verify<Claims: Decodable>(
    _ text: String, as type: Claims.Type = JSONObject.self
  ) async throws(JOSEError) -> VerifiedSDJWT<Claims> {
    let token = try SDJWT(parsing: text, limits: issuer.policy.limits)
    return try await issuer.verified(token.issuerToken) { verifier, _ throws(JOSEError) in
      var verifier = SDJWTVerifier(verifier: verifier, keyBinding: keyBinding, hashes: hashes)
      (verifier.credentialTypes, verifier.acceptsFurtherTypes) = (credentialTypes, acceptsFurtherTypes)
      return try verifier.verify(token, as: type)
    }
  }
}
