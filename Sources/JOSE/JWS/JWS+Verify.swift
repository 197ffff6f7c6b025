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
    try withInlinedContiguousBytes(token) { token throws(JOSEError) in
      let parsed = try ParsedJWS(token, byteLimit: limits.messageByteCount, understanding: understood, limits: limits)
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
    try withInlinedContiguousBytes(token) { token throws(JOSEError) in
      let parsed = try ParsedJWS(token, byteLimit: limits.messageByteCount, understanding: understood, limits: limits)
      return try parsed.verified(with: .keySet(keys, algorithms), limits: limits)
    }
  }
}

/// What a token may be verified with.
enum VerificationKeySource: Sendable {
  case key(VerificationKey)
  case keySet(JWKSet, [SignatureAlgorithm])
  /// The key of the certificates in the token's header.
  case certificates(CertificateTrust, [SignatureAlgorithm])
}

/// A compact JWS whose form and header are legal, and about which nothing else is known. Not copied, for each copy
/// would cost a reference.
struct ParsedJWS: ~Copyable {
  let header: ProtectedHeader
  private let segments: CompactSegments
  /// Whether the header came from the cache.
  private let isHeaderKnown: Bool

  /// Takes a token apart. The bytes must outlive this value.
  init(
    _ token: UnsafeRawBufferPointer, byteLimit: Int, limitName: String = "messageByteCount",
    understanding understood: borrowing [String]?, limits: Limits, headers: borrowing HeaderCache? = nil
  ) throws(JOSEError) {
    let segments = try CompactSegments(token, count: 3, byteLimit: byteLimit, limitName: limitName)
    try segments.requireLimit(2, byteLimit: limits.signatureByteCount, limitName: "signatureByteCount")
    let known: ProtectedHeader? =
      switch headers {
      case .some(let headers): headers.header(for: segments[0])
      case nil: nil
      }
    let isKnown = known != nil
    let header: ProtectedHeader
    switch consume known {
    case let known?: header = known
    case nil:
      // What is wrong with a signature's text is said before what is wrong with the header.
      try Base64URL.requireLegal(segments[2])
      let headerBytes = try segments.decoded(0, byteLimit: limits.headerByteCount, limitName: "headerByteCount")
      header = try ProtectedHeader(parsing: headerBytes, understanding: copy understood, limits: limits)
    }
    if header.payloadEncoding == .base64url {
      try segments.requireLimit(1, byteLimit: byteLimit, limitName: limitName)
    }
    self.header = header
    self.segments = segments
    isHeaderKnown = isKnown
  }

  /// The header, instead of the rest.
  consuming func intoHeader() -> ProtectedHeader { header }

  /// What the signature covers: the received text, never a re-encoding.
  var signingInput: UnsafeRawBufferPointer { segments.text(through: 1) }

  /// The payload, then the signature: one array.
  func octets() throws(JOSEError) -> (octets: [UInt8], payloadCount: Int) {
    switch header.payloadEncoding {
    case .base64url:
      let (octets, payloadCount) = try Base64URL.decode(segments[1], segments[2])
      return (octets, payloadCount)
    case .unencoded:
      // Dots were excluded by splitting; of the rest, only printable ASCII survives a compact token (RFC 7797 §5.2).
      guard segments[1].allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw JOSEError(.malformed, "an unencoded payload of a compact token must be printable ASCII")
      }
      return (Array(segments[1]) + (try Base64URL.decode(segments[2])), segments[1].count)
    }
  }

  /// The payload, once a key has verified the signature.
  func verified(with source: VerificationKeySource, limits: Limits) throws(JOSEError) -> VerifiedJWS {
    var (octets, payloadCount) = try octets()
    let key = try withInlinedContiguousBytes(octets) { octets throws(JOSEError) in
      try verifyingKey(source, signature: UnsafeRawBufferPointer(rebasing: octets[payloadCount...]), limits: limits)
    }
    octets.removeLast(octets.count - payloadCount)
    return VerifiedJWS(header: header, payload: octets, key: key)
  }

  /// The claims that the payload is, once a key has verified the signature.
  ///
  /// - Parameter headers: keeps the header for the next token like this one.
  func claims(
    verifiedWith source: VerificationKeySource, limits: Limits, keepingHeaderIn headers: HeaderCache
  ) throws(JOSEError) -> (claims: JSONDocument, key: VerificationKey) {
    guard header.payloadEncoding == .base64url else {
      // What is wrong with the text is said before what is wrong with the header.
      _ = try octets()
      throw Self.unencodedPayload
    }
    return try Base64URL.withDecoded(segments[1], segments[2]) { payload, signature throws(JOSEError) in
      guard !header.statesPayloadEncoding else { throw Self.unencodedPayload }
      let key = try verifyingKey(source, signature: signature, limits: limits)
      if !isHeaderKnown { headers.insert(header, for: segments[0]) }
      guard !header.saysNestedJWT else { throw Self.nestedToken }
      return (try JSONDocument(parsingClaims: payload, within: limits.claimsJSON), key)
    }
  }

  static var unencodedPayload: JOSEError {
    JOSEError(.headerInvalid, "a JWT has no unencoded payload (RFC 7797 §7)", name: "b64")
  }

  static var nestedToken: JOSEError {
    JOSEError(
      .limitExceeded, "a signed token holds claims, not another token, as its cty says", name: "nestingDepth")
  }

  private func verifyingKey(
    _ source: VerificationKeySource, signature: UnsafeRawBufferPointer, limits: Limits
  ) throws(JOSEError) -> VerificationKey {
    try source.verifyingKey(of: signature, over: signingInput, header: header, limits: limits)
  }

  static func notAllowed(_ algorithm: String) -> JOSEError {
    let text: StaticString
    if algorithm.hasSameBytes(as: "none") {
      text = "the token is unsigned (alg: none), which is never accepted: have its issuer sign it"
    } else if KeyManagementAlgorithm(name: algorithm) != nil {
      text = "the token's alg is one of encryption, and nothing is signed with it"
    } else {
      text = "the token's algorithm is none of the accepted algorithms: add it if the issuer's keys are for it"
    }
    return JOSEError(.algorithmNotAllowed, text, name: "alg")
  }

  /// - Parameter signature: one that no key has verified.
  static func signatureInvalid(_ signature: UnsafeRawBufferPointer, algorithm: String) -> JOSEError {
    let text: StaticString
    if let count = SignatureAlgorithm(name: algorithm)?.row.signatureByteCount, signature.count != count {
      // A sequence of two integers.
      text =
        signature.count > count && signature.first == 0x30
        ? "the signature is in DER: JWS takes r and s, one behind the other (64 octets with ES256)"
        : "the signature does not have its algorithm's length: the token is cut short, or was signed with another one"
    } else {
      text = "the signature does not verify: another key made it, or the token was changed on its way"
    }
    return JOSEError(.signatureInvalid, text)
  }
}

extension VerificationKeySource {
  /// The key that made a compact token's signature.
  func verifyingKey(
    of signature: UnsafeRawBufferPointer, over signingInput: UnsafeRawBufferPointer, header: ProtectedHeader,
    limits: Limits
  ) throws(JOSEError) -> VerificationKey {
    var work = WorkBudget(limits)
    if case .key(let key) = self {
      // As below, without an array of one.
      guard header.algorithm.hasSameBytes(as: key.algorithm.name) else { throw ParsedJWS.notAllowed(header.algorithm) }
      try work.spend(key.work(byteCount: signingInput.count))
      if key.isValid(signature, for: signingInput) { return key }
    } else {
      for key in try keys(of: header, keyID: header.keyID, limits: limits) {
        try work.spend(key.work(byteCount: signingInput.count))
        if key.isValid(signature, for: signingInput) { return key }
      }
    }
    throw ParsedJWS.signatureInvalid(signature, algorithm: header.algorithm)
  }

  /// The names of the algorithms that can count.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if there are none.
  func algorithmNames() throws(JOSEError) -> [String] {
    switch self {
    case .key(let key): return [key.algorithm.name]
    case .keySet(_, let algorithms), .certificates(_, let algorithms):
      return try Self.notEmpty(algorithms).map(\.name)
    }
  }

  private static func notEmpty(_ algorithms: [SignatureAlgorithm]) throws(JOSEError) -> [SignatureAlgorithm] {
    guard !algorithms.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "algorithms")
    }
    return algorithms
  }

  /// The keys to try for a token, each bound to the algorithm that the token names and the caller accepts.
  ///
  /// - Parameter keyID: `kid`, which in a JSON serialization may stand outside of the protected header.
  func keys(of header: ProtectedHeader, keyID: String?, limits: Limits) throws(JOSEError) -> [VerificationKey] {
    switch self {
    case .key(let key):
      guard header.algorithm.hasSameBytes(as: key.algorithm.name) else { throw ParsedJWS.notAllowed(header.algorithm) }
      return [key]
    case .keySet(let keys, let algorithms):
      let algorithm = try Self.accepted(header.algorithm, among: algorithms)
      return try keys.candidates(keyID: keyID, limits: limits) { index, jwk throws(JOSEError) in
        try Self.bound(jwk, at: index, of: keys, to: algorithm, among: algorithms)
      }
    case .certificates(let trust, let algorithms):
      let algorithm = try Self.accepted(header.algorithm, among: algorithms)
      guard header["jwk"] == nil else {
        throw JOSEError(
          .headerInvalid, "the key is that of the certificates, so there is no other beside them", name: "jwk")
      }
      return [try VerificationKey(received: trust.validate(header).publicKey, orNamed: algorithm)]
    }
  }

  /// The algorithm that a token names, if the caller accepts it.
  static func accepted(
    _ name: String, among algorithms: [SignatureAlgorithm]
  ) throws(JOSEError) -> SignatureAlgorithm {
    let accepted = try notEmpty(algorithms)
    guard let algorithm = SignatureAlgorithm(name: name), accepted.contains(algorithm) else {
      throw ParsedJWS.notAllowed(name)
    }
    return algorithm
  }

  /// A key of a set, if it may be used for an algorithm.
  static func bound(
    _ jwk: JWK, at index: Int, of keys: JWKSet, to algorithm: SignatureAlgorithm, among algorithms: [SignatureAlgorithm]
  ) throws(JOSEError) -> VerificationKey {
    try jwk.requireBound(to: algorithm, among: algorithms)
    return try keys.boundKeys.key(at: index, for: algorithm) { () throws(JOSEError) in
      try VerificationKey(received: jwk, orNamed: algorithm)
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
