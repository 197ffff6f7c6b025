import StrictJSON

/// Verifies nested JWTs: signed first, then encrypted, so that `cty` of the encryption is `JWT`.
///
/// ```swift
/// let nested = NestedJWTVerifier(decryptionKey: key, contentEncryption: [.a256gcm], verifier: verifier)
/// let token = try nested.verify(text, as: MyClaims.self)
/// ```
///
/// Decryption says nothing about the sender, so what comes out of it is not handed out before its signature has been
/// verified: claims come out of this type only as a ``VerifiedJWT``. The shape is fixed: one encryption around one
/// signed token. A token that is only encrypted, only signed, nested deeper or the other way round is refused.
///
/// Source: RFC 7519 §5.2, §5.3 and §11.2, RFC 8725 §2.3 and §3.3.
public struct NestedJWTVerifier: Sendable {
  private let source: DecryptionKeySource
  private let contentEncryption: [ContentEncryptionAlgorithm]

  /// What is required of the signed token inside: keys, algorithms and claims. Its policy's limits hold for the
  /// encryption as well.
  public var verifier: JWTVerifier

  /// Tokens that are encrypted for one key, which fixes the one key management algorithm accepted.
  ///
  /// - Parameters:
  ///   - decryptionKey: the receiver's, private or symmetric. The token's `kid` is not looked at.
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - verifier: what is required of the signed token inside.
  public init(
    decryptionKey: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm], verifier: JWTVerifier
  ) {
    source = .key(decryptionKey)
    self.contentEncryption = contentEncryption
    self.verifier = verifier
  }

  /// Tokens that are encrypted for a key of a set of private or symmetric keys, chosen by `kid`, with the algorithms
  /// accepted.
  public init(
    decryptionKeys: JWKSet, keyManagement: [KeyManagementAlgorithm], contentEncryption: [ContentEncryptionAlgorithm],
    verifier: JWTVerifier
  ) {
    source = .keySet(decryptionKeys, keyManagement)
    self.contentEncryption = contentEncryption
    self.verifier = verifier
  }

  /// Opens and verifies a token and decodes its claims, as a `JSONObject` unless another type is given.
  ///
  /// Timing: as ``JWE/decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``; what follows depends on
  /// the token inside.
  /// - Throws: ``JOSEError``: in this order, the encryption's form and header (``ErrorCode/headerInvalid`` for
  ///   `cty` that is not `JWT`), its algorithms and key, ``ErrorCode/decryptionFailed``,
  ///   ``ErrorCode/limitExceeded`` for `nestingDepth` if what comes out is encrypted again or the signed token
  ///   holds another; then as ``JWTVerifier/verify(_:as:)``, and ``ErrorCode/claimMismatch`` if a registered claim
  ///   is repeated in the encryption's header with another value.
  public func verify<Claims: Decodable>(
    _ token: String, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> VerifiedJWT<Claims> {
    try verify(parsed: parsed(token), as: type)
  }

  /// Opens and verifies a token that has been taken apart and decodes its claims; see ``verify(_:as:)``.
  ///
  /// The policy's ``JWTPolicy/limits`` hold beside those of the parsing.
  /// - Throws: as that method.
  public func verify<Claims: Decodable>(
    parsed token: UnverifiedJWE, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> VerifiedJWT<Claims> {
    let opened = try open(token)
    return try verifier.verify(utf8: opened.plaintext, as: type, inside: opened.header)
  }

  private func parsed(_ token: String) throws(JOSEError) -> UnverifiedJWE {
    try verifier.policy.requireSound()
    return try UnverifiedJWE(token: token, limits: verifier.policy.limits)
  }

  /// The signed token, about which nothing is known, and the header around it.
  private func open(_ token: UnverifiedJWE) throws(JOSEError) -> DecryptedJWE {
    let policy = verifier.policy
    try policy.requireSound()
    let parsed = try token.accepted(by: policy, contentEncryption: contentEncryption)
    guard parsed.recipients[0].header.saysNestedJWT else {
      throw JOSEError(.headerInvalid, "the content is not declared to be a JWT (RFC 7519 §5.2)", name: "cty")
    }
    let opened = try source.open(parsed, limits: policy.limits)
    guard opened.plaintext.count(where: { $0 == 0x2E }) != 4 else {
      throw JOSEError(.limitExceeded, "the token is encrypted more than once", name: "nestingDepth")
    }
    return opened
  }
}

/// The keys that open encrypted tokens.
enum DecryptionKeySource: Sendable {
  /// One key, which fixes the one key management algorithm accepted.
  case key(DecryptionKey)
  /// A key of a set, chosen by `kid`, with the algorithms accepted.
  case keySet(JWKSet, [KeyManagementAlgorithm])

  func open(_ parsed: ParsedJWE, limits: Limits) throws(JOSEError) -> DecryptedJWE {
    switch self {
    case .key(let key):
      try parsed.open(compactWith: key, agreedParties: AgreedParties(), limits: limits)
    case .keySet(let keys, let algorithms):
      try parsed.open(with: keys, keyManagement: algorithms, agreedParties: AgreedParties(), limits: limits)
    }
  }
}

extension RegisteredClaims {
  /// Requires that registered claims which the header of an encryption repeats are those of the token inside.
  ///
  /// Source: RFC 7519 §5.3.
  func requireSame(as header: ProtectedHeader) throws(JOSEError) {
    for (name, expected) in [("iss", issuer), ("sub", subject), ("jti", tokenID)] {
      guard let repeated = header[name] else { continue }
      guard let expected, repeated == .string(expected) else { throw Self.repeatedDifferently(name) }
    }
    for (name, expected) in [("exp", expiration), ("nbf", notBefore), ("iat", issuedAt)] {
      guard let repeated = header[name] else { continue }
      guard let expected, case .number(let number) = repeated, NumericDate(saturating: number.double) == expected
      else {
        throw Self.repeatedDifferently(name)
      }
    }
    guard let repeated = header["aud"] else { return }
    let audience = self.audience.map { $0.map { JSONValue.string($0) } }
    guard let audience, repeated == .array(audience) || audience.count == 1 && repeated == audience[0] else {
      throw Self.repeatedDifferently("aud")
    }
  }

  private static func repeatedDifferently(_ name: String) -> JOSEError {
    JOSEError(.claimMismatch, "the encryption's header repeats the claim with another value", name: name)
  }
}
