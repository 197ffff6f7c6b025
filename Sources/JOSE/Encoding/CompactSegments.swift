import PureCrypto

/// The segments of a compact serialization, as places in the received bytes.
///
/// Splitting goes by bytes and stops at the first dot too many, so hostile input costs one pass and no allocation.
/// Source: RFC 7515 §7.1, RFC 7516 §7.1.
@safe struct CompactSegments {
  // Lent by the caller, for longer than this value lives. The ends of segments are places of dots in it, in ascending
  // order, and its count.
  private let token: UnsafeRawBufferPointer
  /// The places of the dots, and one past the end. Unused places are zero.
  private var dots: (Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0)

  /// Splits a token into exactly `count` segments, 3 or 5. The token must outlive this value.
  ///
  /// - Parameter limitName: which of the limits `byteLimit` is.
  init(
    _ token: UnsafeRawBufferPointer, count: Int, byteLimit: Int, limitName: String = "messageByteCount"
  ) throws(JOSEError) {
    guard token.count <= byteLimit else { throw Self.tooLong(limitName) }
    ParseCount.note(.compact)
    unsafe self.token = token
    var found = 0
    var start = 0
    while let index = unsafe Self.nextDot(in: token, from: start) {
      setEnd(found, index)
      found += 1
      guard found < count else { throw unsafe Self.malformed(token, expected: count) }
      start = index + 1
    }
    guard found == count - 1 else { throw unsafe Self.malformed(token, expected: count) }
    setEnd(found, token.count)
  }

  /// The place of the first dot from `start` on, which 32 octets at a time are searched for.
  private static func nextDot(in token: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var place = start
    // Loads end at place + 32 <= count, then at place + 8 <= count.
    while token.count &- place >= 32 {
      if unsafe dots(token, place) | dots(token, place &+ 8) | dots(token, place &+ 16) | dots(token, place &+ 24) != 0
      {
        break
      }
      place &+= 32
    }
    while token.count &- place >= 8 {
      let found = unsafe dots(token, place)
      if found != 0 { return place &+ found.trailingZeroBitCount / 8 }
      place &+= 8
    }
    while place < token.count {
      if unsafe token[place] == 0x2E { return place }
      place &+= 1
    }
    return nil
  }

  /// Bit 7 of each of the eight octets at `place` that is a dot; what is above the lowest of them means nothing. Zero
  /// for none.
  @inline(__always)
  private static func dots(_ token: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let difference =
      unsafe UInt64(littleEndian: token.loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ (ones &* 0x2E)
    // x − 1 borrows into bit 7 of the lowest octet that is zero.
    return (difference &- ones) & ~difference & (ones &* 0x80)
  }

  static func tooLong(_ limitName: String) -> JOSEError {
    JOSEError(.limitExceeded, "the token or message is too long: raise the limit if it is meant to be", name: limitName)
  }

  /// What a text is instead of a token with this many segments.
  private static func malformed(_ token: UnsafeRawBufferPointer, expected: Int) -> JOSEError {
    // Of a text with many dots, the first few say enough.
    let count = unsafe 1 + token.lazy.filter { $0 == 0x2E }.prefix(6).count
    let text: StaticString =
      switch (count, expected) {
      case _ where unsafe token.isEmpty:
        "the token is empty: the header field or setting that it comes from has nothing in it"
      case _ where unsafe MistakenText.isUnset(token):
        "the token is undefined, null or the like: set the variable that it comes from"
      case _ where unsafe token.first == 0x7B:
        "this is a JSON serialization: JWS.verifyJSON and JWE.decryptJSON read it, and no JWT has that form"
      case (5, 3): "the token is encrypted (JWE): open it with NestedJWTVerifier or EncryptedJWTVerifier"
      case (3, 5): "the token is signed, not encrypted (JWS): verify it with JWTVerifier or JWS.verify"
      case (2, 3): "the token has two segments, and its signature is missing: take all three"
      case (1, _): "the token has no dots: it is opaque, and its issuer's introspection endpoint knows what it says"
      case (_, 3): "a signed token has three segments with dots between: take the whole token, and nothing else"
      default: "an encrypted token has five segments with dots between: take the whole token, and nothing else"
      }
    return JOSEError(.malformed, text)
  }

  private mutating func setEnd(_ segment: Int, _ index: Int) {
    switch segment {
    case 0: dots.0 = index
    case 1: dots.1 = index
    case 2: dots.2 = index
    case 3: dots.3 = index
    default: dots.4 = index
    }
  }

  private func end(_ segment: Int) -> Int {
    switch segment {
    case 0: dots.0
    case 1: dots.1
    case 2: dots.2
    case 3: dots.3
    default: dots.4
    }
  }

  /// One segment's text, without dots.
  subscript(_ segment: Int) -> UnsafeRawBufferPointer {
    let start = segment == 0 ? 0 : end(segment - 1) + 1
    return unsafe UnsafeRawBufferPointer(rebasing: token[start..<end(segment)])
  }

  /// Everything up to the end of a segment: for a JWS, the signing input is the text through segment 1.
  func text(through segment: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: token[..<end(segment)])
  }

  /// One segment decoded, if it is within a limit.
  func decoded(_ segment: Int, byteLimit: Int, limitName: String) throws(JOSEError) -> [UInt8] {
    try requireLimit(segment, byteLimit: byteLimit, limitName: limitName)
    return try unsafe Base64URL.decode(self[segment])
  }

  /// Requires that a segment, decoded, is within a limit.
  func requireLimit(_ segment: Int, byteLimit: Int, limitName: String) throws(JOSEError) {
    guard unsafe self[segment].count <= Base64URL.characterLimit(byteLimit) else {
      throw Self.segmentTooLong(limitName)
    }
  }

  static func segmentTooLong(_ limitName: String) -> JOSEError {
    JOSEError(.limitExceeded, "a segment of the token is too long", name: limitName)
  }
}
