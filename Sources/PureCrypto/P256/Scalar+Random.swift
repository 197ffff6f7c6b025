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
  /// - Parameter fill: fills 32 bytes, most significant first: with random bytes, or with those of a generator of nonces.
  ///
  /// Timing: does not depend on the integer returned.
  /// Source: FIPS 186-5 §A.2.2 and §A.3.2, RFC 6979 §3.2 step h.
  static func random(drawing fill: (UnsafeMutableRawBufferPointer) -> Void) -> UInt256 {
    var bytes = UInt256.zero
    defer { wipe(&bytes) }
    while true {
      let candidate = withUnsafeMutableBytes(of: &bytes) { bytes in
        fill(bytes)
        return bytes.baseAddress.map { UInt256(bigEndian: $0) } ?? .zero
      }
      if isInRange(candidate).declassified { return candidate }
    }
  }
}
