extension MLKEMPolynomial {
  /// Writes canonical coefficients in 12 bits each.
  /// - Parameter bytes: 384.
  /// Source: FIPS 203 algorithm 5 with d = 12.
  func encode(to bytes: UnsafeMutableRawBufferPointer) {
    PackedIntegers.pack(coefficients, bitCount: 12, to: bytes)
  }

  /// Reads 12 bits for each coefficient.
  /// - Parameter bytes: 384.
  /// - Returns: whether all are canonical. To be asked of public keys; of private ones it is not a secret either, since
  ///   only a damaged key has others.
  /// Source: FIPS 203 algorithm 6 with d = 12, §7.2.
  func decode(_ bytes: UnsafeRawBufferPointer) -> Mask {
    PackedIntegers.unpack(bytes, bitCount: 12, to: coefficients)
    // c − q is negative for canonical c, and only then.
    var signs: Int16 = -1
    for index in 0..<Self.count { signs &= coefficients[index] &- Self.q }
    return Mask(bit: UInt64(UInt16(bitPattern: signs) &>> 15))
  }

  /// Writes the highest bits of each coefficient, rounded: ⌈c · 2^d / q⌋ mod 2^d.
  ///
  /// Any c; the coefficients are lost.
  /// - Parameter bytes: 32 · bitCount.
  /// Source: FIPS 203 §4.2.1 and algorithm 5.
  func compress(bitCount: Int, to bytes: UnsafeMutableRawBufferPointer) {
    reduce()
    for index in 0..<Self.count { coefficients[index] = Self.compressed(coefficients[index], bitCount: bitCount) }
    PackedIntegers.pack(coefficients, bitCount: bitCount, to: bytes)
  }

  /// Reads rounded coefficients: ⌈y · q / 2^d⌋, canonical.
  /// - Parameter bytes: 32 · bitCount.
  func decompress(_ bytes: UnsafeRawBufferPointer, bitCount: Int) {
    PackedIntegers.unpack(bytes, bitCount: bitCount, to: coefficients)
    for index in 0..<Self.count { coefficients[index] = Self.decompressed(coefficients[index], bitCount: bitCount) }
  }

  /// Canonical c → ⌈c · 2^d / q⌋ mod 2^d, without a division: q is odd, so that no quotient lies half-way, and
  ///
  ///     ⌈n / q⌋ = ⌊(n + 1664) / q⌋
  ///             = ⌊(n + 1664) m / 2³⁵⌋ with m = ⌈2³⁵ / q⌉
  ///
  /// the latter for numbers below 2²³, since m q − 2³⁵ < q < 2¹².
  /// - Parameter bitCount: d, 1 to 11. Public.
  @inline(__always)
  static func compressed(_ c: Int16, bitCount: Int) -> Int16 {
    let n = UInt64(UInt16(bitPattern: c)) &<< UInt64(truncatingIfNeeded: bitCount)
    let quotient = ((n &+ 1664) &* 10_321_340) &>> 35
    return Int16(truncatingIfNeeded: quotient & (1 &<< UInt64(truncatingIfNeeded: bitCount) &- 1))
  }

  /// y < 2^d → ⌈y · q / 2^d⌋, canonical.
  /// - Parameter bitCount: d, 1 to 11. Public.
  @inline(__always)
  static func decompressed(_ y: Int16, bitCount: Int) -> Int16 {
    let d = Int32(truncatingIfNeeded: bitCount)
    return Int16(truncatingIfNeeded: (Int32(y) &* Int32(q) &+ 1 &<< (d &- 1)) &>> d)
  }

  /// Adds half of q for each bit of a message. |c| < 2¹⁵ − q.
  ///
  /// This is the place at which compilers turned a mask into a branch ("clangover", 2024): the bit is opaque to them.
  /// - Parameter message: 32 bytes. Secret.
  func add(message: UnsafeRawBufferPointer) {
    let zero = Int16(truncatingIfNeeded: opaqueZero())
    for index in 0..<Self.count {
      let bit = Int16(message[index &>> 3] &>> UInt8(truncatingIfNeeded: index & 7) & 1) ^ zero
      // ⌈q / 2⌋
      coefficients[index] &+= bit &* 1665
    }
  }
}
