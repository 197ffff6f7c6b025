/// 256 integers of a few bits each, one after the other, least significant bits first: the form in which polynomials
/// stand in keys, ciphertexts and signatures.
///
/// Two forms of each function, so that neither is generic where it is called. The words of the packed form are whole:
/// 256 · d bits are 8 · d words of 32 bits.
///
/// Timing: depends on the number of bits only.
/// Source: FIPS 203 algorithms 5 and 6, FIPS 204 algorithms 16 to 19.
enum PackedIntegers {
  /// How many integers there are.
  static let count = 256

  /// The length of the packed form, in bytes.
  static func byteCount(bitCount: Int) -> Int { count / 8 &* bitCount }

  /// Writes the lowest bits of 256 integers.
  /// - Parameter bitCount: 1 to 20. Higher bits of the integers must be zero.
  /// - Parameter bytes: at least 32 · bitCount.
  static func pack(_ integers: UnsafePointer<Int16>, bitCount: Int, to bytes: UnsafeMutableRawBufferPointer) {
    packAny(integers, bitCount, bytes)
  }

  static func pack(_ integers: UnsafePointer<Int32>, bitCount: Int, to bytes: UnsafeMutableRawBufferPointer) {
    packAny(integers, bitCount, bytes)
  }

  /// Reads 256 integers, each below 2^bitCount.
  /// - Parameter bitCount: 1 to 12 for integers of 16 bits, 1 to 20 for those of 32.
  /// - Parameter bytes: at least 32 · bitCount.
  static func unpack(_ bytes: UnsafeRawBufferPointer, bitCount: Int, to integers: UnsafeMutablePointer<Int16>) {
    unpackAny(bytes, bitCount, integers)
  }

  static func unpack(_ bytes: UnsafeRawBufferPointer, bitCount: Int, to integers: UnsafeMutablePointer<Int32>) {
    unpackAny(bytes, bitCount, integers)
  }

  @inline(__always)
  private static func packAny<Integer: FixedWidthInteger>(
    _ integers: UnsafePointer<Integer>, _ bitCount: Int, _ bytes: UnsafeMutableRawBufferPointer
  ) {
    // Bits that wait: fewer than 32 before an integer comes, fewer than 52 after.
    var bits: UInt64 = 0
    var waiting = 0
    var offset = 0
    for index in 0..<count {
      bits |= UInt64(truncatingIfNeeded: integers[index]) &<< UInt64(truncatingIfNeeded: waiting)
      waiting &+= bitCount
      if waiting >= 32 {
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: bits).littleEndian, toByteOffset: offset, as: UInt32.self)
        offset &+= 4
        waiting &-= 32
        bits &>>= 32
      }
    }
  }

  @inline(__always)
  private static func unpackAny<Integer: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, _ bitCount: Int, _ integers: UnsafeMutablePointer<Integer>
  ) {
    let mask = 1 &<< UInt64(truncatingIfNeeded: bitCount) &- 1
    // Bits that wait: fewer than 20 before a word comes, fewer than 52 after.
    var bits: UInt64 = 0
    var waiting = 0
    var offset = 0
    for index in 0..<count {
      if waiting < bitCount {
        let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        bits |= UInt64(word) &<< UInt64(truncatingIfNeeded: waiting)
        offset &+= 4
        waiting &+= 32
      }
      integers[index] = Integer(truncatingIfNeeded: bits & mask)
      bits &>>= UInt64(truncatingIfNeeded: bitCount)
      waiting &-= bitCount
    }
  }
}
