/// The result of a hash function: a fixed number of bytes, stored inline.
///
/// Digests also serve as authentication tags, therefore `==` takes the same time wherever two digests differ.
public protocol SHA2Digest: InlineBytes, CustomStringConvertible {}

extension SHA2Digest {
  /// Compares all bytes.
  ///
  /// Timing: constant.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.withUnsafeBytes { left in rhs.withUnsafeBytes { right in ConstantTime.equal(left, right) } }
  }

  /// Hashes all bytes.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// The bytes in lower-case hexadecimal.
  ///
  /// Timing: does not depend on the bytes, since some hash secrets.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 &* Self.byteCount)
    for byte in self {
      for digit in [byte &>> 4, byte & 15] {
        // 9 − digit is negative for the digits a … f, which lie 39 places above where they would follow on 9.
        let isLetter = UInt8(bitPattern: Int8(bitPattern: 9 &- digit) &>> 7)
        text.append(0x30 &+ digit &+ isLetter & 39)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
