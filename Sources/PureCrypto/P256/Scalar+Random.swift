extension Scalar {
  /// Draws an integer that is evenly distributed over 1 … n − 1, by rejection.
  ///
  /// The most dangerous lines of the package. An integer that is reduced instead of rejected, or a bit that is set or
  /// cleared "to be safe", makes nonces uneven; a few hundred signatures with uneven nonces give the private key away, and no
  /// test would fail. So: 256 fresh bits each time, used as they are, or thrown away whole.
  ///
  /// A draw is rejected with probability 2⁻³², when it is 0 or not below n. That it was, is all that the loop reveals: the
  /// rejected draw is never used.
  ///
  /// Timing: does not depend on the integer returned.
  /// Source: FIPS 186-5 §A.2.2 and §A.3.2.
  static func random(drawing fill: (UnsafeMutableRawBufferPointer) -> Void) -> UInt256 {
    var candidate = UInt256.zero
    repeat {
      withUnsafeMutableBytes(of: &candidate) { fill($0) }
    } while !isInRange(candidate).declassified
    return candidate
  }
}
