extension Residue {
  /// Draws integers until one lies between 1 and m − 1: bitCount bits each, used as they are, or thrown away whole.
  ///
  /// As dangerous as ``Scalar/random(drawing:)``, for the reason given there. Both curves' orders are so close to 2^bitCount
  /// that a rejection is not to be expected (probability below 2⁻¹⁹⁰); that it happened is all that the loop reveals.
  /// - Parameter fill: fills byteCount bytes, the leftmost bits of which count, most significant first.
  ///
  /// Timing: does not depend on the integer returned.
  /// Source: FIPS 186-5 §A.2.2 and §A.3.2, RFC 6979 §3.2 step h.
  static func candidate(drawing fill: (UnsafeMutableRawBufferPointer) -> Void) -> Integer {
    withUnsafeTemporaryAllocation(byteCount: Modulus.byteCount, alignment: 8) { buffer in
      defer { wipe(buffer) }
      while true {
        fill(buffer)
        let candidate = Residue.leftmostBits(of: UnsafeRawBufferPointer(buffer))
        if isInRange(candidate).declassified { return candidate }
      }
    }
  }

  /// bits2int: the leftmost bitCount bits as an integer, or all of them if there are fewer.
  ///
  /// Timing: depends on the number of bytes only.
  /// Source: FIPS 186-5 §6.4.1 step 2, RFC 6979 §2.3.2.
  static func leftmostBits(of bytes: UnsafeRawBufferPointer) -> Integer {
    let count = min(bytes.count, Modulus.byteCount)
    let excess = count &* 8 &- Modulus.bitCount
    let integer = Integer(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    return integer.shiftedRight(by: max(excess, 0))
  }
}
