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
    guard token.count <= byteLimit else {
      throw JOSEError(.limitExceeded, "the token or message is too long", name: limitName)
    }
    self.token = token
    var found = 0
    for index in 0..<token.count where token[index] == 0x2E {
      setEnd(found, index)
      found += 1
      guard found < count else { throw Self.malformed }
    }
    guard found == count - 1 else { throw Self.malformed }
    setEnd(found, token.count)
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
    let text = self[segment]
    guard text.count <= Base64URL.characterLimit(byteLimit) else {
      throw JOSEError(.limitExceeded, "a segment of the token is too long", name: limitName)
    }
    return try Base64URL.decode(text)
  }
}
