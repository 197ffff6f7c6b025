extension MLKEMPolynomial {
  /// Draws a transform uniformly: candidates of 12 bits, of which those below q are taken, as many as it needs.
  /// Canonical.
  ///
  /// For the public matrix.
  /// - Parameter seed: ρ, 32 bytes.
  /// Source: FIPS 203 algorithm 7, with algorithm 13 line 5 for the order of the two bytes.
  func setUniformVariableTime(seed: UnsafeRawBufferPointer, column: UInt8, row: UInt8) {
    var sponge = KeccakSponge.shake128
    sponge.update(seed)
    sponge.update(column)
    sponge.update(row)
    var output = sponge.finalize()
    // A block of SHAKE128: 56 times three bytes.
    withUnsafeTemporaryAllocation(byteCount: 168, alignment: 8) { block in
      var count = 0
      while count < Self.count {
        output.read(into: block)
        var offset = 0
        while offset < block.count, count < Self.count {
          let (b0, b1, b2) = (Int16(block[offset]), Int16(block[offset &+ 1]), Int16(block[offset &+ 2]))
          let first = b0 | (b1 & 15) &<< 8
          let second = b1 &>> 4 | b2 &<< 4
          coefficients[count] = first
          if first < Self.q { count &+= 1 }
          if second < Self.q, count < Self.count {
            coefficients[count] = second
            count &+= 1
          }
          offset &+= 3
        }
      }
    }
  }

  /// Draws small coefficients, −2 to 2: the difference of two sums of two bits each.
  ///
  /// - Parameter seed: σ or r, 32 bytes. Secret.
  /// - Parameter nonce: which of the polynomials of that seed.
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 203 algorithm 8 with η = 2, and §4.1 for PRF.
  func setSmall(seed: UnsafeRawBufferPointer, nonce: UInt8) {
    withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { bytes in
      defer { wipe(bytes) }
      var sponge = KeccakSponge.shake256
      sponge.update(seed)
      sponge.update(nonce)
      sponge.finalize(into: bytes)
      wipe(&sponge)
      for word in 0..<16 {
        let bits = UInt64(littleEndian: bytes.load(fromByteOffset: 8 &* word, as: UInt64.self))
        // In each two bits their sum, 0 to 2; then in each four the first sum less the second, plus 4.
        let sums = bits & 0x5555_5555_5555_5555 &+ bits &>> 1 & 0x5555_5555_5555_5555
        let differences =
          sums & 0x3333_3333_3333_3333 &+ 0x4444_4444_4444_4444 &- sums &>> 2 & 0x3333_3333_3333_3333
        var coefficients = SIMD16<Int16>.zero
        coefficients.evenHalf = Self.widened(differences & 0x0f0f_0f0f_0f0f_0f0f) &- 4
        coefficients.oddHalf = Self.widened(differences &>> 4 & 0x0f0f_0f0f_0f0f_0f0f) &- 4
        UnsafeMutableRawPointer(self.coefficients).storeBytes(
          of: coefficients, toByteOffset: 32 &* word, as: SIMD16<Int16>.self)
      }
    }
  }

  @inline(__always)
  private static func widened(_ word: UInt64) -> SIMD8<Int16> {
    SIMD8<Int16>(truncatingIfNeeded: unsafeBitCast(word.littleEndian, to: SIMD8<UInt8>.self))
  }
}
