import PureCrypto
import StrictJSON

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
    let segments = try unsafe CompactSegments(token, count: 3, byteLimit: byteLimit, limitName: limitName)
    try segments.requireLimit(2, byteLimit: limits.signatureByteCount, limitName: "signatureByteCount")
    let known: ProtectedHeader? =
      switch headers {
      case .some(let headers): unsafe headers.header(for: segments[0])
      case nil: nil
      }
    let isKnown = known != nil
    let header: ProtectedHeader
    switch consume known {
    case let known?: header = known
    case nil:
      // What is wrong with a signature's text is said before what is wrong with the header.
      try unsafe Base64URL.requireLegal(segments[2])
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
  var signingInput: UnsafeRawBufferPointer { unsafe segments.text(through: 1) }

  /// The payload, then the signature: one array.
  func octets() throws(JOSEError) -> (octets: [UInt8], payloadCount: Int) {
    switch header.payloadEncoding {
    case .base64url:
      let (octets, payloadCount) = try unsafe Base64URL.decode(segments[1], segments[2])
      return (octets, payloadCount)
    case .unencoded:
      // Dots were excluded by splitting; of the rest, only printable ASCII survives a compact token (RFC 7797 §5.2).
      guard unsafe segments[1].allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw JOSEError(.malformed, "an unencoded payload of a compact token must be printable ASCII")
      }
      return unsafe (Array(segments[1]) + (try Base64URL.decode(segments[2])), segments[1].count)
    }
  }

  /// The payload, once a key has verified the signature.
  func verified(with source: VerificationKeySource, limits: Limits) throws(JOSEError) -> VerifiedJWS {
    // payloadCount <= octets.count: the signature stands behind the payload.
    var (octets, payloadCount) = try octets()
    let key = try unsafe withInlinedContiguousBytes(octets) { octets throws(JOSEError) in
      try unsafe verifyingKey(
        source, signature: UnsafeRawBufferPointer(rebasing: octets[payloadCount...]), limits: limits)
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
    return try unsafe Base64URL.withDecoded(segments[1], segments[2]) { payload, signature throws(JOSEError) in
      guard !header.statesPayloadEncoding else { throw Self.unencodedPayload }
      let key = try unsafe verifyingKey(source, signature: signature, limits: limits)
      if !isHeaderKnown { unsafe headers.insert(header, for: segments[0]) }
      guard !header.saysNestedJWT else { throw Self.nestedToken }
      return unsafe (try JSONDocument(parsingClaims: payload, within: limits.claimsJSON), key)
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
    try unsafe source.verifyingKey(of: signature, over: signingInput, header: header, limits: limits)
  }
}
