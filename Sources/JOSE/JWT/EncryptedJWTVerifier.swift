import StrictJSON

/// Opens JWTs that are encrypted and not signed, as session cookies often are, and checks their claims.
///
/// ```swift
/// let sessions = EncryptedJWTVerifier(
///   decryptionKey: key, contentEncryption: [.a256cbcHS512], policy: JWTPolicy(issuer: .notChecked, audience: .notChecked))
/// let session = try sessions.verify(cookie, as: Session.self)
/// ```
///
/// ``JWT/encrypt(_:to:contentEncryption:type:header:anonymously:)`` makes them.
/// Nothing but the key vouches for the sender. With a shared secret (`dir`, AES key wrap, a password) only who has it can make such a token. With a
/// public key everybody can, so algorithms with one are refused unless anonymous senders are accepted by name. A token that is signed
/// inside is one for ``NestedJWTVerifier``.
public struct EncryptedJWTVerifier: Sendable {
  private enum Source: Sendable {
    case key(DecryptionKey)
    case keySet(JWKSet, [KeyManagementAlgorithm])
  }

  private let source: Source
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

  /// Opens a token, checks it and decodes its claims.
  ///
  /// Timing: as ``JWE/decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``; what follows depends on the claims.
  /// - Throws: ``JOSEError``: ``JOSEErrorCode/callerMisuse`` for an algorithm with a public key unless anonymous senders are accepted; then as
  ///   that method; ``JOSEErrorCode/headerInvalid`` for `cty` that says the content is a token; then as ``JWTVerifier/verify(_:as:)`` for claims.
  public func verify<Claims: Decodable>(_ token: String, as type: Claims.Type) throws(JOSEError) -> DecryptedJWT<Claims>
  {
    let (document, registered, header) = try open(token)
    let claims: Claims
    do {
      claims = try StrictJSONDecoder().decode(type, from: document.root)
    } catch {
      throw JOSEError(claims: error)
    }
    return DecryptedJWT(claims: claims, registeredClaims: registered, header: header)
  }

  /// Opens and checks a token.
  ///
  /// - Throws: as ``verify(_:as:)``.
  public func verify(_ token: String) throws(JOSEError) -> DecryptedJWT<JSONObject> {
    let (document, registered, header) = try open(token)
    guard let claims = try? document.root.object() else {
      throw JOSEError(.malformed, "the claims are not a JSON object")
    }
    return DecryptedJWT(claims: claims, registeredClaims: registered, header: header)
  }

  private func open(_ token: String) throws(JOSEError) -> (JSONDocument, RegisteredClaims, ProtectedHeader) {
    try policy.requireSound()
    try requireKnownSenders()
    let limits = policy.limits
    guard token.utf8.count <= limits.tokenByteCount else {
      throw JOSEError(.limitExceeded, "the token is too long", name: "tokenByteCount")
    }
    let parsed = try JWE.parse(
      token, contentEncryption: contentEncryption, understanding: policy.understoodCriticalParameters, limits: limits)
    let header = parsed.recipients[0].header
    guard !header.saysNestedJWT else {
      throw JOSEError(.headerInvalid, "the content is declared to be a signed token", name: "cty")
    }
    let opened: DecryptedJWE
    switch source {
    case .key(let key):
      opened = try parsed.open(compactWith: key, agreedParties: AgreedParties(), limits: limits)
    case .keySet(let keys, let algorithms):
      opened = try parsed.open(
        with: keys, keyManagement: algorithms, agreedParties: AgreedParties(), limits: limits)
    }
    var document = try JSONDocument(parsingClaims: opened.plaintext, within: limits.claimsJSON)
    let registered = try RegisteredClaims(&document)
    try registered.requireSame(as: header)
    try policy.check(header, claims: document.root, registered: registered, key: nil)
    return (document, registered, header)
  }

  private func requireKnownSenders() throws(JOSEError) {
    let algorithms =
      switch source {
      case .key(let key): [key.algorithm]
      case .keySet(_, let algorithms): algorithms
      }
    guard acceptsAnonymousSenders || algorithms.allSatisfy(\.isUnderSharedSecret) else {
      throw JOSEError(
        .callerMisuse, "everybody can encrypt for a public key: sign as well, or accept anonymous senders", name: "alg")
    }
  }
}
