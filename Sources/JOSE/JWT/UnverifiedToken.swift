import PureCrypto

/// A compact token taken apart without any check of its authenticity: for display, and for choosing a key by something in the header.
///
/// Nothing in it may decide anything. It can't be turned into a verified value; verify the token itself.
public struct UnverifiedToken: Sendable {
  /// The protected header as somebody wrote it.
  public let unverifiedHeader: ProtectedHeader

  /// The payload of a JWS as somebody wrote it; nil for a JWE, whose content is encrypted.
  public let unverifiedPayload: [UInt8]?

  /// Takes a compact JWS or JWE apart. Critical extensions are not examined.
  ///
  /// - Throws: ``JOSEErrorCode/malformed``, ``JOSEErrorCode/headerInvalid``, ``JOSEErrorCode/limitExceeded``.
  public init(parsing token: String, limits: Limits = .default) throws(JOSEError) {
    let dots = token.utf8.count { $0 == 0x2E }
    self = try withInlinedContiguousBytes(token.utf8) { token throws(JOSEError) in
      let segments = try CompactSegments(token, count: dots == 4 ? 5 : 3, byteLimit: limits.messageByteCount)
      let bytes = try segments.decoded(0, byteLimit: limits.headerByteCount, limitName: "headerByteCount")
      let header = try ProtectedHeader(parsing: bytes, understanding: nil, limits: limits)
      let payload =
        dots == 4
        ? nil : try segments.decoded(1, byteLimit: limits.messageByteCount, limitName: "messageByteCount")
      return UnverifiedToken(unverifiedHeader: header, unverifiedPayload: payload)
    }
  }

  private init(unverifiedHeader: ProtectedHeader, unverifiedPayload: [UInt8]?) {
    self.unverifiedHeader = unverifiedHeader
    self.unverifiedPayload = unverifiedPayload
  }
}
