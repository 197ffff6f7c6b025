extension MLKEMVector {
  /// Draws the public matrix, row by row, as transforms. Canonical.
  /// - Parameter seed: ρ, 32 bytes.
  /// - Parameter rank: k, the number of rows and columns.
  /// Source: FIPS 203 algorithm 13 lines 3 to 7, also for the order of the two bytes of a nonce.
  func setUniformVariableTime(seed: UnsafeRawBufferPointer, rank: Int) {
    var nonces = MatrixNonces(columnCount: rank)
    KeccakStreams(.shake128, seed: seed, nonceByteCount: 2).read(
      rank &* rank, until: MLKEMPolynomial.count, nonce: { _ in nonces.next() },
      take: { index, block, taken in self[index].takeUniformVariableTime(block, taken) })
  }

  /// Draws polynomials with small coefficients, −2 to 2, with nonces from 0 on.
  /// - Parameter seed: σ or r, 32 bytes. Secret.
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 203 §4.1 for PRF.
  func setSmall(seed: UnsafeRawBufferPointer, count: Int) {
    KeccakStreams(.shake256, seed: seed, nonceByteCount: 1).read(
      count, until: MLKEMPolynomial.count, nonce: { UInt16(truncatingIfNeeded: $0) },
      take: { index, block, _ in self[index].takeSmall(block) })
  }
}

extension MLKEMPolynomial {
  /// Takes coefficients of a uniform transform: the candidates of 12 bits that are below q. Canonical.
  /// - Parameter block: of SHAKE128.
  /// - Parameter taken: how many coefficients there are already, below 256.
  /// - Returns: how many there are now.
  /// Source: FIPS 203 algorithm 7.
  fileprivate func takeUniformVariableTime(_ block: KeccakBlock, _ taken: Int) -> Int {
    var count = taken
    // Three words have sixteen candidates.
    for group in 0..<KeccakBlock.wordCount128 / 3 {
      let word = block.words + 3 &* group &* block.stride
      let (w0, w1, w2) = (word[0], word[block.stride], word[2 &* block.stride])
      count = takeFour(w0, count)
      count = takeFour(w0 &>> 48 | w1 &<< 16, count)
      count = takeFour(w1 &>> 32 | w2 &<< 32, count)
      count = takeFour(w2 &>> 16, count)
      guard count < Self.count else { break }
    }
    return count
  }

  /// The lowest four candidates, or fewer at the end.
  @inline(__always)
  private func takeFour(_ bits: UInt64, _ count: Int) -> Int {
    var (bits, count) = (bits, count)
    for _ in 0..<4 where count < Self.count {
      let candidate = Int16(truncatingIfNeeded: bits & 0xfff)
      bits &>>= 12
      coefficients[count] = candidate
      // The matrix is public, so this may compile to a jump. A sum, because a jump would often be predicted wrongly.
      count &+= candidate < Self.q ? 1 : 0
    }
    return count
  }

  /// Takes all coefficients, −2 to 2: the difference of two sums of two bits each.
  /// - Parameter block: of SHAKE256. Secret.
  /// - Returns: how many coefficients there are now: all.
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 203 algorithm 8 with η = 2.
  fileprivate func takeSmall(_ block: KeccakBlock) -> Int {
    for index in 0..<16 {
      let bits = block.words[index &* block.stride]
      // In each two bits their sum, 0 to 2; then in each four the first sum less the second, plus 4.
      let sums = bits & 0x5555_5555_5555_5555 &+ bits &>> 1 & 0x5555_5555_5555_5555
      let differences =
        sums & 0x3333_3333_3333_3333 &+ 0x4444_4444_4444_4444 &- sums &>> 2 & 0x3333_3333_3333_3333
      var coefficients = SIMD16<Int16>.zero
      coefficients.evenHalf = Self.widened(differences & 0x0f0f_0f0f_0f0f_0f0f) &- 4
      coefficients.oddHalf = Self.widened(differences &>> 4 & 0x0f0f_0f0f_0f0f_0f0f) &- 4
      UnsafeMutableRawPointer(self.coefficients).storeBytes(
        of: coefficients, toByteOffset: 32 &* index, as: SIMD16<Int16>.self)
    }
    return Self.count
  }

  @inline(__always)
  private static func widened(_ word: UInt64) -> SIMD8<Int16> {
    SIMD8<Int16>(truncatingIfNeeded: unsafeBitCast(word.littleEndian, to: SIMD8<UInt8>.self))
  }
}
