/// An integer modulo a prime m: a scalar, or a coordinate of a point.
///
/// Timing: no operation depends on the values, except where its name ends in `VariableTime`.
protocol ModularInteger: Sendable, Hashable, BitwiseCopyable {
  associatedtype Integer: LimbInteger

  /// m.
  static var modulus: Integer { get }
  /// The position of the highest bit of m, counted from 1.
  static var bitCount: Int { get }

  /// `integer` mod m, for any integer of as many limbs.
  init(_ integer: Integer)
  /// The integer below m.
  var integer: Integer { get }

  static func + (a: Self, b: Self) -> Self
  static func - (a: Self, b: Self) -> Self
  static func * (a: Self, b: Self) -> Self
  /// a⁻¹, and 0 for 0.
  var inverted: Self { get }
  /// a⁻¹, and 0 for 0. For public values.
  func invertedVariableTime() -> Self
  var isZero: Mask { get }
}

/// An integer modulo the prime over which a curve is defined.
protocol CurveCoordinate: ModularInteger {
  var squared: Self { get }
  /// −a for yes, a for no.
  func negated(if mask: Mask) -> Self
  /// A root of a, if there is one, and whether there is.
  var squareRoot: (root: Self, exists: Mask) { get }
}

extension ModularInteger {
  /// The length of an encoding.
  static var byteCount: Int { (bitCount &+ 7) &>> 3 }

  func invertedVariableTime() -> Self { inverted }

  /// Whether an integer is below m.
  static func isCanonical(_ integer: Integer) -> Mask { integer.isLess(than: modulus) }

  /// Whether 1 ≤ `integer` ≤ m − 1.
  static func isInRange(_ integer: Integer) -> Mask { isCanonical(integer) & ~integer.isZero }

  /// Draws an integer that is evenly distributed over 1 … m − 1, by rejection.
  ///
  /// The most dangerous lines of the package. An integer that is reduced instead of rejected, or a bit that is set or
  /// cleared "to be safe", makes nonces uneven; a few hundred signatures with uneven nonces give the private key away,
  /// and no test would fail. So: bitCount fresh bits each time, used as they are, or thrown away whole.
  ///
  /// A draw is rejected when it is 0 or not below m: with probability 2⁻³² for P-256, 2⁻¹²⁷ for secp256k1,
  /// below 2⁻¹⁹⁰ for P-384 and P-521. That it was, is all that the loop reveals: no rejected draw is used.
  /// - Parameter fill: fills byteCount bytes, the leftmost bits of which count, most significant first: with random
  ///   bytes, or with those of a generator of nonces.
  ///
  /// Timing: does not depend on the integer returned.
  /// Source: FIPS 186-5 §A.2.2 and §A.3.2, RFC 6979 §3.2 step h.
  static func candidate(drawing fill: (UnsafeMutableRawBufferPointer) -> Void) -> Integer {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
      defer { wipe(buffer) }
      while true {
        fill(buffer)
        let candidate = leftmostBits(of: UnsafeRawBufferPointer(buffer))
        if isInRange(candidate).declassified { return candidate }
      }
    }
  }

  /// bits2int: the leftmost bitCount bits as an integer, or all of them if there are fewer.
  ///
  /// Timing: depends on the number of bytes only.
  /// Source: FIPS 186-5 §6.4.1 step 2, RFC 6979 §2.3.2.
  static func leftmostBits(of bytes: UnsafeRawBufferPointer) -> Integer {
    let count = min(bytes.count, byteCount)
    let excess = count &* 8 &- bitCount
    let integer = Integer(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    return excess > 0 ? integer.shiftedRight(by: excess) : integer
  }
}

extension SecretBytes {
  /// Calls `body` with the bytes as an integer, most significant first, and wipes this copy of it.
  func withInteger<Integer: LimbInteger, Result>(_ body: (Integer) -> Result) -> Result {
    withUnsafeBytes { bytes in
      var integer = Integer(bigEndian: bytes)
      defer { wipe(&integer) }
      return body(integer)
    }
  }
}
