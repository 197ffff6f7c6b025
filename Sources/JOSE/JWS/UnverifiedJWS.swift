import PureCrypto
import StrictJSON

/// A compact JWS that has been taken apart and not verified.
///
/// Its header may choose a key and its claims may choose an issuer; neither may decide anything. Verifying it takes
/// nothing apart again.
///
/// ```swift
/// let token = try UnverifiedJWS(parsing: text)
/// let keys = try keys(of: token.unverifiedClaims?["iss"])
/// let verifier = JWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
/// let claims = try verifier.verify(parsed: token, as: MyClaims.self)
/// ```
public struct UnverifiedJWS: Sendable {
  /// The protected header as its sender wrote it. Critical extensions have not been examined.
  public let unverifiedHeader: ProtectedHeader

  /// The payload as its sender wrote it.
  public let unverifiedPayload: [UInt8]

  /// What was parsed.
  package let text: [UInt8]
  /// How many octets of the text the signature covers.
  private let signingInputCount: Int
  private let signature: [UInt8]
  /// The bounds that the parts were read within.
  let limits: Limits
  /// The payload as a claims set, or why it isn't one.
  let claims: Result<JSONDocument, JOSEError>

  /// Takes a compact JWS apart.
  ///
  /// - Parameters:
  ///   - token: the three segments.
  ///   - limits: bounds on the token's size, which hold for the verification as well.
  /// - Throws: ``ErrorCode/malformed``, ``ErrorCode/headerInvalid``, ``ErrorCode/limitExceeded``.
  public init(parsing token: String, limits: Limits = .default) throws(JOSEError) {
    try self.init(utf8: token.utf8, limits: limits)
  }

  /// Takes a compact JWS apart that is given as ASCII bytes.
  ///
  /// - Throws: as ``init(parsing:limits:)``.
  public init(utf8 token: some Collection<UInt8>, limits: Limits = .default) throws(JOSEError) {
    // Longer ones are not even copied.
    guard token.count <= limits.messageByteCount else { throw CompactSegments.tooLong("messageByteCount") }
    let text = Array(token)
    self = try unsafe withInlinedContiguousBytes(text) { octets throws(JOSEError) in
      let parsed = try unsafe ParsedJWS(octets, byteLimit: limits.messageByteCount, understanding: nil, limits: limits)
      return try UnverifiedJWS(parsed, text: text, limits: limits)
    }
  }

  private init(_ parsed: borrowing ParsedJWS, text: [UInt8], limits: Limits) throws(JOSEError) {
    let (octets, payloadCount) = try parsed.octets()
    let payload = Array(octets[..<payloadCount])
    (unverifiedHeader, unverifiedPayload, signature) = (parsed.header, payload, Array(octets[payloadCount...]))
    (self.text, signingInputCount, self.limits) = unsafe (text, parsed.signingInput.count, limits)
    claims = Result { () throws(JOSEError) in try JSONDocument(parsingClaims: payload, within: limits.claimsJSON) }
  }

  /// The payload as a claims set, as its sender wrote it; nil if it isn't one.
  public var unverifiedClaims: JSONObject? { try? claimsObject() }

  /// The payload as a claims set, which says nothing of its authenticity either.
  ///
  /// - Throws: ``ErrorCode/malformed``, ``ErrorCode/limitExceeded``.
  package func claimsObject() throws(JOSEError) -> JSONObject {
    guard let object = try? claims.get().root.object() else {
      _ = try claims.get()
      throw JOSEError(.malformed, "the claims are not a JSON object")
    }
    return object
  }

  /// Verifies the token with one key, which fixes the one algorithm accepted.
  ///
  /// - Parameters:
  ///   - key: the sender's. The token's `alg` must be its algorithm; the token's `kid` is not looked at.
  ///   - understood: extensions that `crit` may name because the caller processes them. `b64` is processed here; leave
  ///     it out to refuse it.
  /// - Throws: ``ErrorCode/criticalHeaderUnsupported``, ``ErrorCode/algorithmNotAllowed``,
  ///   ``ErrorCode/signatureInvalid``.
  public func verified(
    with key: VerificationKey, understanding understood: [String] = ["b64"]
  ) throws(JOSEError) -> VerifiedJWS {
    let key = try verifyingKey(.key(key), understanding: understood)
    return VerifiedJWS(header: unverifiedHeader, payload: unverifiedPayload, key: key)
  }

  /// Verifies the token with a key set and the algorithms that the caller accepts. The key is chosen as by
  /// ``JWS/verify(_:with:algorithms:understanding:limits:)``.
  ///
  /// - Throws: as ``verified(with:understanding:)``, and ``ErrorCode/keyNotFound``, ``ErrorCode/keyMismatch``.
  public func verified(
    with keys: JWKSet, algorithms: [SignatureAlgorithm], understanding understood: [String] = ["b64"]
  ) throws(JOSEError) -> VerifiedJWS {
    let key = try verifyingKey(.keySet(keys, algorithms), understanding: understood)
    return VerifiedJWS(header: unverifiedHeader, payload: unverifiedPayload, key: key)
  }

  func verifyingKey(
    _ source: VerificationKeySource, understanding understood: [String]
  ) throws(JOSEError) -> VerificationKey {
    try unverifiedHeader.requireUnderstood(understood)
    // The signing input was found in this text: its count is no larger.
    return try unsafe withInlinedContiguousBytes(text) { text throws(JOSEError) in
      try unsafe withInlinedContiguousBytes(signature) { signature throws(JOSEError) in
        try unsafe source.verifyingKey(
          of: signature, over: UnsafeRawBufferPointer(rebasing: text[..<signingInputCount]), header: unverifiedHeader,
          limits: limits)
      }
    }
  }
}
