import PureCrypto

/// The segments of a compact serialization, as places in the received bytes.
///
/// Splitting goes by bytes and stops at the first dot too many, so hostile input costs one pass and no allocation.
/// Source: RFC 7515 §7.1, RFC 7516 §7.1.
struct CompactSegments {
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
    self.token = token
    var found = 0
    var start = 0
    while let index = Self.nextDot(in: token, from: start) {
      setEnd(found, index)
      found += 1
      guard found < count else { throw Self.malformed }
      start = index + 1
    }
    guard found == count - 1 else { throw Self.malformed }
    setEnd(found, token.count)
  }

  /// The place of the first dot from `start` on, which 32 octets at a time are searched for.
  private static func nextDot(in token: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var place = start
    while token.count &- place >= 32 {
      if dots(token, place) | dots(token, place &+ 8) | dots(token, place &+ 16) | dots(token, place &+ 24) != 0 {
        break
      }
      place &+= 32
    }
    while token.count &- place >= 8 {
      let found = dots(token, place)
      if found != 0 { return place &+ found.trailingZeroBitCount / 8 }
      place &+= 8
    }
    while place < token.count {
      if token[place] == 0x2E { return place }
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
      UInt64(littleEndian: token.loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ (ones &* 0x2E)
    // x − 1 borrows into bit 7 of the lowest octet that is zero.
    return (difference &- ones) & ~difference & (ones &* 0x80)
  }

  static func tooLong(_ limitName: String) -> JOSEError {
    JOSEError(.limitExceeded, "the token or message is too long", name: limitName)
  }

  private static var malformed: JOSEError { JOSEError(.malformed, "not a compact serialization of this kind") }

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
    return UnsafeRawBufferPointer(rebasing: token[start..<end(segment)])
  }

  /// Everything up to the end of a segment: for a JWS, the signing input is the text through segment 1.
  func text(through segment: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: token[..<end(segment)])
  }

  /// One segment decoded, if it is within a limit.
  func decoded(_ segment: Int, byteLimit: Int, limitName: String) throws(JOSEError) -> [UInt8] {
    try requireLimit(segment, byteLimit: byteLimit, limitName: limitName)
    return try Base64URL.decode(self[segment])
  }

  /// Requires that a segment, decoded, is within a limit.
  func requireLimit(_ segment: Int, byteLimit: Int, limitName: String) throws(JOSEError) {
    guard self[segment].count <= Base64URL.characterLimit(byteLimit) else {
      throw JOSEError(.limitExceeded, "a segment of the token is too long", name: limitName)
    }
  }
}
