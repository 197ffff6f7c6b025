import PureCrypto
import StrictJSON

/// Verifies JWTs of one kind: which keys, which algorithms, which claims.
///
/// ```swift
/// let keys = try JWKSet(parsing: json)
/// let verifier = JWTVerifier(keys: keys, algorithms: [.es256], issuer: "https://idp.example.com", audience: "api")
/// let token = try verifier.verify(text, as: MyClaims.self)
/// ```
///
/// One verifier serves any number of tasks at once. Many tokens go faster on several cores, a share for each task:
///
/// ```swift
/// try await withThrowingTaskGroup(of: Void.self) { group in
///   for share in shares {
///     group.addTask { for text in share { accept(try verifier.verify(text, as: MyClaims.self)) } }
///   }
///   try await group.waitForAll()
/// }
/// ```
///
/// Source: RFC 7519 §7.2, RFC 8725.
public struct JWTVerifier: Sendable {
  private(set) var source: VerificationKeySource

  /// Headers met before. They were accepted under this policy's limits and understood extensions, so a change of policy
  /// forgets them.
  private var headers = HeaderCache()

  /// What the claims must say.
  public var policy: JWTPolicy {
    didSet { (headers, policyFault) = (HeaderCache(), policy.fault) }
  }

  /// Why the policy has no meaning, which is asked once and not for each token.
  private var policyFault: JOSEError?

  /// Tokens of one issuer for one audience, signed with a key of a set.
  public init(keys: JWKSet, algorithms: [SignatureAlgorithm], issuer: String, audience: String) {
    self.init(
      keys: keys, algorithms: algorithms, policy: JWTPolicy(issuer: .anyOf([issuer]), audience: .anyOf([audience])))
  }

  /// Tokens of one issuer for one audience, signed with one key.
  public init(key: VerificationKey, issuer: String, audience: String) {
    self.init(key: key, policy: JWTPolicy(issuer: .anyOf([issuer]), audience: .anyOf([audience])))
  }

  /// Tokens that satisfy a policy, signed with a key of a set.
  ///
  /// - Parameters:
  ///   - keys: the keys of the policy's issuer, and of no other issuer.
  ///   - algorithms: the algorithms accepted. With none, every token fails with ``ErrorCode/callerMisuse``.
  ///   - policy: what the claims must say. One without a meaning, such as a negative leeway, fails when a token is
  ///     verified.
  public init(keys: JWKSet, algorithms: [SignatureAlgorithm], policy: JWTPolicy) {
    source = .keySet(keys, algorithms)
    (self.policy, policyFault) = (policy, policy.fault)
  }

  /// Tokens that satisfy a policy, signed with one key.
  public init(key: VerificationKey, policy: JWTPolicy) {
    source = .key(key)
    (self.policy, policyFault) = (policy, policy.fault)
  }

  /// Tokens that satisfy a policy, signed with the key of a certificate that they bring along (`x5c`), as App Store
  /// notifications are.
  ///
  /// ```swift
  /// var trust = try CertificateTrust(pemRoots: appleRootCAG3, purpose: .signature)
  /// trust.requiredExtension = "1.2.840.113635.100.6.11.1"
  /// let verifier = JWTVerifier(trust: trust, algorithms: [.es256], policy: policy)
  /// ```
  ///
  /// Certificates are valid at the time of ``CertificateTrust/clock``, which may stand still, claims at that of
  /// ``JWTPolicy/clock``. A token without `x5c`, or with a `jwk` beside it, is refused.
  /// - Parameters:
  ///   - trust: the roots, and what the key of the first certificate must be for. Authorities certify keys for many
  ///     purposes: without one, any holder of a certificate of theirs can sign.
  ///   - algorithms: the algorithms accepted.
  ///   - policy: what the claims must say.
  ///
  /// Source: RFC 7515 §4.1.6, RFC 5280 §6.1.
  public init(trust: CertificateTrust, algorithms: [SignatureAlgorithm], policy: JWTPolicy) {
    source = .certificates(trust, algorithms)
    (self.policy, policyFault) = (policy, policy.fault)
  }

  /// Verifies a token and decodes its claims, as a `JSONObject` unless another type is given.
  ///
  /// - Throws: ``JOSEError``: in this order, the token's form, its header, its algorithm, its key, its signature, its
  ///   claims. A claims set that does not decode as `Claims` is ``ErrorCode/claimInvalid``, whose name is the path
  ///   to the member that doesn't. `Date`, `Data`, `URL` and `Decimal` decode only if `JOSEFoundation` is linked.
  @inlinable
  public func verify<Claims: Decodable>(
    _ token: String, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> VerifiedJWT<Claims> {
    // Put together by code that knows the size of the claims.
    let (claims, origin) = try checked(token)
    return VerifiedJWT(claims: try claims.decoded(as: type), origin: origin)
  }

  /// Verifies a token that has been taken apart and decodes its claims; see ``verify(_:as:)``.
  ///
  /// Nothing is taken apart again, unless the policy's ``JWTPolicy/limits`` are not those of the parsing.
  /// - Throws: as that method.
  public func verify<Claims: Decodable>(
    parsed token: UnverifiedJWS, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> VerifiedJWT<Claims> {
    let (claims, origin) = try checked(token)
    return VerifiedJWT(claims: try claims.decoded(as: type), origin: origin)
  }

  /// The same verifier with the same keys, which may be the latest or not.
  func judging(by keys: JWKSet) -> JWTVerifier {
    guard case .keySet(let own, let algorithms) = source, own.isLatest != keys.isLatest else { return self }
    var verifier = self
    verifier.source = .keySet(keys, algorithms)
    return verifier
  }

  /// - Parameter outer: the header of the encryption that the token was in.
  func verify<Claims: Decodable>(
    utf8 token: some Collection<UInt8>, as type: Claims.Type, inside outer: ProtectedHeader?
  ) throws(JOSEError) -> VerifiedJWT<Claims> {
    let (claims, origin) = try checked(octets: token, inside: outer)
    return VerifiedJWT(claims: try claims.decoded(as: type), origin: origin)
  }

  /// The same of a token whose claims are others than its payload says: `processing` puts them together.
  func checked(
    _ token: String, processing: (JSONObject, ProtectedHeader) throws(JOSEError) -> JSONObject
  ) throws(JOSEError) -> (claims: AcceptedClaims, origin: TokenOrigin) {
    if let policyFault { throw policyFault }
    return try unsafe withInlinedContiguousBytes(token.utf8) { token throws(JOSEError) in
      let parsed = try unsafe ParsedJWS(
        token, byteLimit: policy.limits.tokenByteCount, limitName: "tokenByteCount",
        understanding: policy.understoodCriticalParameters, limits: policy.limits, headers: headers)
      let (document, key) = try parsed.claims(verifiedWith: source, limits: policy.limits, keepingHeaderIn: headers)
      let header = parsed.intoHeader()
      guard let payload = try? document.root.object() else {
        throw JOSEError(.claimInvalid, "the claims are not an object")
      }
      let claims = try processing(payload, header)
      return try accepted(
        JSONDocument(parsingClaims: claims.serialized(), within: policy.limits.claimsJSON), key: key, header: header,
        inside: nil)
    }
  }

  /// `kid` of a token that has not been verified, if its header is one that some key could make acceptable.
  ///
  /// - Throws: as ``verify(_:as:)`` for a token that no key makes acceptable, so that no issuer is asked for a key in
  ///   vain.
  func unverifiedKeyID(of token: UnverifiedJWS) throws(JOSEError) -> String? {
    let header = token.unverifiedHeader
    try header.requireUnderstood(policy.understoodCriticalParameters)
    guard try source.algorithmNames().contains(header.algorithmName) else {
      throw VerificationKeySource.notAllowed(header.algorithm)
    }
    try requireClaims(header)
    guard policy.type.accepts(header.type) else { throw JWTPolicy.typeMismatch }
    return header.keyID
  }

  /// Requires that a header is one of a signed token with claims.
  func requireClaims(_ header: ProtectedHeader) throws(JOSEError) {
    guard !header.statesPayloadEncoding else { throw ParsedJWS.unencodedPayload }
    guard !header.saysNestedJWT else { throw ParsedJWS.nestedToken }
  }

  /// Everything but decoding the claims as the caller's type: not generic, so that all tokens share one copy of it.
  private func checked(
    _ token: UnsafeRawBufferPointer, inside outer: ProtectedHeader?
  ) throws(JOSEError) -> (claims: AcceptedClaims, origin: TokenOrigin) {
    if let policyFault { throw policyFault }
    let parsed = try unsafe ParsedJWS(
      token, byteLimit: policy.limits.tokenByteCount, limitName: "tokenByteCount",
      understanding: policy.understoodCriticalParameters, limits: policy.limits, headers: headers)
    let (document, key) = try parsed.claims(verifiedWith: source, limits: policy.limits, keepingHeaderIn: headers)
    return try accepted(document, key: key, header: parsed.intoHeader(), inside: outer)
  }

  /// As for a text, without taking it apart.
  private func checked(_ token: UnverifiedJWS) throws(JOSEError) -> (claims: AcceptedClaims, origin: TokenOrigin) {
    // What other limits would have made of it can't be told from the parts.
    guard token.limits == policy.limits else { return try checked(octets: token.text, inside: nil) }
    if let policyFault { throw policyFault }
    guard token.text.count <= policy.limits.tokenByteCount else { throw CompactSegments.tooLong("tokenByteCount") }
    let header = token.unverifiedHeader
    try header.requireUnderstood(policy.understoodCriticalParameters)
    guard !header.statesPayloadEncoding else { throw ParsedJWS.unencodedPayload }
    let key = try token.verifyingKey(source, understanding: policy.understoodCriticalParameters)
    guard !header.saysNestedJWT else { throw ParsedJWS.nestedToken }
    return try accepted(token.claims.get(), key: key, header: header, inside: nil)
  }

  /// The claims of a token whose signature has been verified, if the policy accepts them.
  @inline(__always)
  private func accepted(
    _ document: consuming JSONDocument, key: consuming VerificationKey, header: consuming ProtectedHeader,
    inside outer: ProtectedHeader?
  ) throws(JOSEError) -> (claims: AcceptedClaims, origin: TokenOrigin) {
    let registered = try RegisteredClaims(&document, datesMayBeText: policy.datesMayBeText)
    if let outer { try registered.requireSame(as: outer) }
    if case .certificates(let trust, _) = source { try trust.requireName(of: registered.issuerName, header) }
    let claims = document.intoRoot()
    try policy.check(header, claims: claims, registered: registered, key: copy key)
    return (
      AcceptedClaims(view: claims),
      TokenOrigin(registeredClaims: consume registered, header: header, key: key)
    )
  }

  @usableFromInline
  func checked(_ token: String) throws(JOSEError) -> (claims: AcceptedClaims, origin: TokenOrigin) {
    try checked(octets: token.utf8, inside: nil)
  }

  @inline(__always)
  private func checked(
    octets token: some Collection<UInt8>, inside outer: ProtectedHeader?
  ) throws(JOSEError) -> (claims: AcceptedClaims, origin: TokenOrigin) {
    let outcome = token.withContiguousStorageIfAvailable { octets in
      Result { () throws(JOSEError) in try unsafe checked(UnsafeRawBufferPointer(octets), inside: outer) }
    }
    // Not `get()`, which makes a copy of all the strings and references in it.
    switch consume outcome {
    case .success(let accepted)?: return accepted
    case .failure(let error)?: throw error
    case nil:
      return try unsafe withInlinedContiguousBytes(Array(token)) { octets throws(JOSEError) in
        try unsafe checked(octets, inside: outer)
      }
    }
  }
}
