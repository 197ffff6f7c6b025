import PureCrypto
import StrictJSON

extension JWS {
  /// Verifies a compact JWS with one key, which fixes the one algorithm accepted.
  ///
  /// - Parameters:
  ///   - token: the three segments. Nothing in them is trusted before the signature has been verified.
  ///   - key: the sender's. The token's `alg` must be its algorithm; the token's `kid` is not looked at.
  ///   - understood: extensions that `crit` may name because the caller processes them. `b64` is processed here; leave
  ///     it out to refuse it.
  ///   - limits: bounds on the token's size.
  /// - Throws: ``JOSEError``: in this order, the token's form, its header, its algorithm, its signature.
  public static func verify(
    _ token: String, with key: VerificationKey, understanding understood: [String] = ["b64"], limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJWS {
    try verify(utf8: token.utf8, with: key, understanding: understood, limits: limits)
  }

  /// Verifies a compact JWS with a key set and the algorithms that the caller accepts.
  ///
  /// The key is chosen by `kid`, compared as bytes, and must fit the algorithm; an unknown `kid` finds no key. A JWK
  /// without `alg` serves the accepted algorithms that fit its type if they are of one family: all RS, all PS, both
  /// names of Ed25519, or a single other one.
  /// - Throws: as ``verify(_:with:understanding:limits:)-(String,VerificationKey,_,_)``, and
  ///   ``ErrorCode/keyNotFound``, ``ErrorCode/keyMismatch``.
  public static func verify(
    _ token: String, with keys: JWKSet, algorithms: [SignatureAlgorithm], understanding understood: [String] = ["b64"],
    limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJWS {
    try verify(utf8: token.utf8, with: keys, algorithms: algorithms, understanding: understood, limits: limits)
  }

  /// Verifies a compact JWS given as ASCII bytes; see
  /// ``verify(_:with:understanding:limits:)-(String,VerificationKey,_,_)``.
  ///
  /// - Throws: as that method.
  package static func verify(
    utf8 token: some Collection<UInt8>, with key: VerificationKey, understanding understood: [String] = ["b64"],
    limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJWS {
    try unsafe withInlinedContiguousBytes(token) { token throws(JOSEError) in
      let parsed = try unsafe ParsedJWS(
        token, byteLimit: limits.messageByteCount, understanding: understood, limits: limits)
      return try parsed.verified(with: .key(key), limits: limits)
    }
  }

  /// Verifies a compact JWS given as ASCII bytes; see ``verify(_:with:algorithms:understanding:limits:)``.
  ///
  /// - Throws: as that method.
  package static func verify(
    utf8 token: some Collection<UInt8>, with keys: JWKSet, algorithms: [SignatureAlgorithm],
    understanding understood: [String] = ["b64"], limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJWS {
    try unsafe withInlinedContiguousBytes(token) { token throws(JOSEError) in
      let parsed = try unsafe ParsedJWS(
        token, byteLimit: limits.messageByteCount, understanding: understood, limits: limits)
      return try parsed.verified(with: .keySet(keys, algorithms), limits: limits)
    }
  }
}

extension JWS {
  /// Verifies a JWS in flattened or general JSON serialization.
  ///
  /// - Parameters:
  ///   - text: the JSON text, flattened or general. Nothing in it is trusted but what a required signature covers.
  ///   - requirement: whose signatures must be there.
  ///   - detachedPayload: the payload, if it came by another way; the message must then have none.
  ///   - acceptsUnprotectedAlgorithm: whether `alg` may stand in an unprotected header.
  ///   - understood: extensions that `crit` may name. `b64` is processed here; leave it out to refuse it.
  ///   - limits: bounds on the message's size and on the number of its signatures.
  /// - Throws: ``JOSEError``. If a single signature is there, what is wrong with it; otherwise
  ///   ``ErrorCode/signatureInvalid`` if the requirement is not met.
  public static func verifyJSON(
    _ text: String, requiring requirement: JWSRequirement, detachedPayload: [UInt8]? = nil,
    acceptsUnprotectedAlgorithm: Bool = false, understanding understood: [String] = ["b64"],
    limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJSONJWS {
    let parsed = try ParsedJSONJWS(
      text, accepting: requirement.algorithmNames(), detachedPayload: detachedPayload,
      acceptsUnprotectedAlgorithm: acceptsUnprotectedAlgorithm, understanding: understood, limits: limits)
    return try parsed.verified(requirement, limits: limits)
  }
}
