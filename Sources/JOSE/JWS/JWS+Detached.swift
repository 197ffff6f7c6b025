import PureCrypto
import StrictJSON

extension JWS {
  /// Signs a payload that travels by another way, and returns a compact token whose middle segment is empty.
  ///
  /// - Parameters:
  ///   - payload: any octets. They enter the signature and stay out of the token.
  ///   - key: the sender's. Its algorithm and its name are written as `alg` and `kid`.
  ///   - header: further header parameters. `alg` and `kid` come from the key.
  ///   - encoding: how the payload enters the signature.
  /// - Throws: as ``sign(_:with:header:)``.
  public static func signDetached(
    _ payload: some Collection<UInt8>, with key: SigningKey, header: HeaderParameters = HeaderParameters(),
    encoding: JWSPayloadEncoding = .base64url
  ) throws(JOSEError) -> String {
    var parameters: JSONObject = ["alg": .string(key.algorithm.name)]
    try header.append(to: &parameters, keyID: key.keyID, encoding: encoding)
    var token: [UInt8] = []
    Base64URL.append(try parameters.protectedHeaderText(), to: &token)
    let signature = try key.signature(for: signingInput(header: token, payload: payload, encoding: encoding))
    token += [0x2E, 0x2E]
    Base64URL.append(signature, to: &token)
    return String(decoding: token, as: UTF8.self)
  }

  /// Verifies a compact token with one key, for a payload that came by another way.
  ///
  /// - Parameters:
  ///   - token: three segments; the middle one is empty.
  ///   - payload: the octets as they came. Trust them only after this call.
  ///   - key: the sender's. The token's `alg` must be its algorithm; the token's `kid` is not looked at.
  ///   - understood: extensions that `crit` may name. `b64` is processed here; leave it out to refuse it.
  ///   - limits: bounds on the token's size and, by ``Limits/messageByteCount``, on the payload's.
  /// - Throws: ``ErrorCode/malformed`` if the token has a payload of its own; otherwise as
  ///   ``verify(_:with:understanding:limits:)-(String,VerificationKey,_,_)``.
  public static func verifyDetached(
    _ token: String, payload: some Collection<UInt8>, with key: VerificationKey,
    understanding understood: [String] = ["b64"], limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJWS {
    try verifyDetached(token, payload: payload, with: .key(key), understanding: understood, limits: limits)
  }

  /// Verifies a compact token with a key set and the algorithms that the caller accepts, for a payload that came by
  /// another way.
  ///
  /// - Throws: as the form with one key, and as ``verify(_:with:algorithms:understanding:limits:)``.
  public static func verifyDetached(
    _ token: String, payload: some Collection<UInt8>, with keys: JWKSet, algorithms: [SignatureAlgorithm],
    understanding understood: [String] = ["b64"], limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJWS {
    try verifyDetached(
      token, payload: payload, with: .keySet(keys, algorithms), understanding: understood, limits: limits)
  }

  private static func verifyDetached(
    _ token: String, payload: some Collection<UInt8>, with source: VerificationKeySource,
    understanding understood: [String], limits: Limits
  ) throws(JOSEError) -> VerifiedJWS {
    try unsafe withInlinedContiguousBytes(token.utf8) { token throws(JOSEError) in
      let segments = try unsafe CompactSegments(token, count: 3, byteLimit: limits.messageByteCount)
      guard unsafe segments[1].isEmpty else {
        throw JOSEError(.malformed, "a detached token has no payload of its own")
      }
      let headerBytes = try segments.decoded(0, byteLimit: limits.headerByteCount, limitName: "headerByteCount")
      let header = try ProtectedHeader(parsing: headerBytes, understanding: understood, limits: limits)
      let entry = unsafe JWSEntry(
        header: header, unprotectedHeader: [:], keyID: header.keyID,
        signature: try segments.decoded(2, byteLimit: limits.signatureByteCount, limitName: "signatureByteCount"),
        headerText: Array(segments[0]),
        content: try SignedContent(detached: payload, encoding: header.payloadEncoding, limits: limits))
      var work = WorkBudget(limits)
      let key = try entry.verifyingKey(among: entry.keys(source, limits: limits), work: &work)
      return VerifiedJWS(header: header, payload: entry.content.payload, key: key)
    }
  }

  /// `BASE64URL(header) . payload`, the payload encoded or as it is (RFC 7797 §3).
  static func signingInput(
    header: some Collection<UInt8>, payload: some Collection<UInt8>, encoding: JWSPayloadEncoding
  ) -> [UInt8] {
    var input = Array(header)
    input.append(0x2E)
    switch encoding {
    case .base64url: Base64URL.append(payload, to: &input)
    case .unencoded: input += payload
    }
    return input
  }
}
