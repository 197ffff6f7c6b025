import StrictJSON

/// Opens JWTs that are encrypted and not signed, as session cookies often are, and checks their claims.
///
/// ```swift
/// let sessions = EncryptedJWTVerifier(
///   decryptionKey: key, contentEncryption: [.a256cbcHS512],
///   policy: JWTPolicy(issuer: .notChecked, audience: .notChecked))
/// let session = try sessions.verify(cookie, as: Session.self)
/// ```
///
/// ``JWT/encrypt(_:to:contentEncryption:type:header:anonymously:)`` makes them.
/// Nothing but the key vouches for the sender. With a shared secret (`dir`, AES key wrap, a password) only who has it
/// can make such a token. With a public key everybody can, so algorithms with one are refused unless anonymous senders
/// are accepted by name. A token that is signed inside is one for ``NestedJWTVerifier``.
public struct EncryptedJWTVerifier: Sendable {
  private let source: DecryptionKeySource
  private let contentEncryption: [ContentEncryptionAlgorithm]
  private let acceptsAnonymousSenders: Bool

  /// What the claims must say.
  public var policy: JWTPolicy

  /// Tokens that are encrypted for one key, which fixes the one key management algorithm accepted.
  ///
  /// - Parameters:
  ///   - decryptionKey: the receiver's. The token's `kid` is not looked at.
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - policy: what the claims must say.
  ///   - acceptsAnonymousSenders: whether the key may be a private one, for whose public half everybody can encrypt.
  public init(
    decryptionKey: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm], policy: JWTPolicy,
    acceptsAnonymousSenders: Bool = false
  ) {
    source = .key(decryptionKey)
    self.contentEncryption = contentEncryption
    self.policy = policy
    self.acceptsAnonymousSenders = acceptsAnonymousSenders
  }

  /// Tokens that are encrypted for a key of a set, chosen by `kid`, with the algorithms accepted.
  public init(
    decryptionKeys: JWKSet, keyManagement: [KeyManagementAlgorithm], contentEncryption: [ContentEncryptionAlgorithm],
    policy: JWTPolicy, acceptsAnonymousSenders: Bool = false
  ) {
    source = .keySet(decryptionKeys, keyManagement)
    self.contentEncryption = contentEncryption
    self.policy = policy
    self.acceptsAnonymousSenders = acceptsAnonymousSenders
  }

  /// Opens a token, checks it and decodes its claims, as a `JSONObject` unless another type is given.
  ///
  /// Timing: as ``JWE/decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``; what follows depends on
  /// the claims.
  /// - Throws: ``JOSEError``: ``ErrorCode/callerMisuse`` for an algorithm with a public key unless anonymous
  ///   senders are accepted; then as that method; ``ErrorCode/headerInvalid`` for `cty` that says the content is a
  ///   token; then as ``JWTVerifier/verify(_:as:)`` for claims.
  public func verify<Claims: Decodable>(
    _ token: String, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> DecryptedJWT<Claims> {
    try verify(parsed: parsed(token), as: type)
  }

  /// Opens a token that has been taken apart, checks it and decodes its claims; see ``verify(_:as:)``.
  ///
  /// The policy's ``JWTPolicy/limits`` hold beside those of the parsing.
  /// - Throws: as that method.
  public func verify<Claims: Decodable>(
    parsed token: UnverifiedJWE, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> DecryptedJWT<Claims> {
    let (document, registered, header) = try open(token)
    let claims = try AcceptedClaims(view: document.root).decoded(as: type)
    return DecryptedJWT(claims: claims, registeredClaims: registered, header: header)
  }

  private func parsed(_ token: String) throws(JOSEError) -> UnverifiedJWE {
    try requireSound()
    return try UnverifiedJWE(token: token, limits: policy.limits)
  }

  private func open(_ token: UnverifiedJWE) throws(JOSEError) -> (JSONDocument, RegisteredClaims, ProtectedHeader) {
    try requireSound()
    let limits = policy.limits
    let parsed = try token.accepted(by: policy, contentEncryption: contentEncryption)
    let header = parsed.recipients[0].header
    guard !header.saysNestedJWT else {
      throw JOSEError(.headerInvalid, "the content is declared to be a signed token", name: "cty")
    }
    let opened = try source.open(parsed, limits: limits)
    var document = try JSONDocument(parsingClaims: opened.plaintext, within: limits.claimsJSON)
    let registered = try RegisteredClaims(&document)
    try registered.requireSame(as: header)
    try policy.check(header, claims: document.root, registered: registered, key: nil)
    return (document, registered, header)
  }

  /// Refuses a policy that has no meaning, and senders that nothing vouches for.
  private func requireSound() throws(JOSEError) {
    try policy.requireSound()
    let algorithms =
      switch source {
      case .key(let key): [key.algorithm]
      case .keySet(_, let algorithms): algorithms
      }
    guard acceptsAnonymousSenders || algorithms.allSatisfy(\.isUnderSharedSecret) else {
      throw JOSEError(
        .callerMisuse, "anyone can encrypt to a public key: sign as well, or accept anonymous senders", name: "alg")
    }
  }
}
