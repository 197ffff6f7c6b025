extension MLDSAVector {
  /// Draws the public matrix, row by row, as transforms. Canonical.
  /// - Parameter seed: ρ, 32 bytes.
  /// Source: FIPS 204 algorithm 32, also for the order of the two bytes of a nonce.
  func setUniformVariableTime(seed: UnsafeRawBufferPointer, rowCount: Int, columnCount: Int) {
    var nonces = MatrixNonces(columnCount: columnCount)
    KeccakStreams(.shake128, seed: seed, nonceByteCount: 2).read(
      rowCount &* columnCount, until: MLDSAPolynomial.count, nonce: { _ in nonces.next() },
      take: { index, block, taken in self[index].takeUniformVariableTime(block, taken) })
  }

  /// Draws polynomials with small coefficients uniformly.
  /// - Parameter seed: ρ′, 64 bytes. Secret.
  ///
  /// Timing: depends on which candidates are rejected, which says nothing about those that are kept.
  /// Source: FIPS 204 algorithm 33.
  func setSmall(seed: UnsafeRawBufferPointer, count: Int, eta: Int) {
    KeccakStreams(.shake256, seed: seed, nonceByteCount: 2).read(
      count, until: MLDSAPolynomial.count, nonce: { UInt16(truncatingIfNeeded: $0) },
      take: { index, block, taken in self[index].takeSmall(block, taken, eta: eta) })
  }

  /// Draws coefficients uniformly from −γ₁ + 1 to γ₁, as canonical ones, of ℓ polynomials.
  /// - Parameter seed: ρ″, 64 bytes. Secret.
  /// - Parameter firstNonce: ℓ more for each vector that is ever made of that seed. It stays below 2¹⁶ for 9362
  ///   tries, and 814 are less likely than 2⁻²⁵⁶ already (FIPS 204 appendix C).
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 204 algorithm 34.
  func setMask(seed: UnsafeRawBufferPointer, firstNonce: Int, _ parameterSet: MLDSAParameterSet) {
    let wordCount = PackedIntegers.byteCount(bitCount: parameterSet.maskBitCount) / 8
    KeccakStreams(.shake256, seed: seed, nonceByteCount: 2).read(
      parameterSet.columnCount, until: wordCount, nonce: { UInt16(truncatingIfNeeded: firstNonce &+ $0) },
      take: { index, block, taken in self[index].takePacked(block, taken, wordCount: wordCount) })
    for index in 0..<parameterSet.columnCount { self[index].unpackMask(parameterSet) }
  }
}

extension MLDSAPolynomial {
  /// Takes coefficients of a uniform transform: the candidates of 23 bits that are below q. Canonical.
  /// - Parameter block: of SHAKE128.
  /// - Parameter taken: how many coefficients there are already, below 256.
  /// - Returns: how many there are now.
  /// Source: FIPS 204 algorithms 14 and 30.
  fileprivate func takeUniformVariableTime(_ block: KeccakBlock, _ taken: Int) -> Int {
    var count = taken
    // Three words have eight candidates of three bytes.
    for group in 0..<KeccakBlock.wordCount128 / 3 {
      let word = block.words + 3 &* group &* block.stride
      let (w0, w1, w2) = (word[0], word[block.stride], word[2 &* block.stride])
      let candidates = (
        w0, w0 &>> 24, w0 &>> 48 | w1 &<< 16, w1 &>> 8, w1 &>> 32, w1 &>> 56 | w2 &<< 8, w2 &>> 16, w2 &>> 40
      )
      count = take(candidates.0, count)
      count = take(candidates.1, count)
      count = take(candidates.2, count)
      count = take(candidates.3, count)
      count = take(candidates.4, count)
      count = take(candidates.5, count)
      count = take(candidates.6, count)
      count = take(candidates.7, count)
      guard count < Self.count else { break }
    }
    return count
  }

  @inline(__always)
  private func take(_ bits: UInt64, _ count: Int) -> Int {
    guard count < Self.count else { return count }
    let candidate = Int32(truncatingIfNeeded: bits & 0x7f_ffff)
    coefficients[count] = candidate
    return candidate < Self.q ? count &+ 1 : count
  }

  /// Takes small coefficients, −η to η: the candidates of four bits that are below 15 (η = 2) or 9 (η = 4).
  /// - Parameter block: of SHAKE256. Secret.
  /// - Parameter taken: how many coefficients there are already, below 256.
  /// - Returns: how many there are now.
  ///
  /// Timing: depends on which candidates are rejected. Candidates are independent of each other, so that nothing is
  /// learned of those that are kept.
  /// Source: FIPS 204 algorithms 15 and 31.
  fileprivate func takeSmall(_ block: KeccakBlock, _ taken: Int, eta: Int) -> Int {
    let limit: UInt64 = eta == 2 ? 15 : 9
    var count = taken
    for index in 0..<KeccakBlock.wordCount256 {
      var word = block.words[index &* block.stride]
      for _ in 0..<16 where count < Self.count {
        let candidate = word & 15
        word &>>= 4
        guard Mask(candidate, isLessThan: limit).declassified else { continue }
        let number = Int32(truncatingIfNeeded: candidate)
        // ⌊n / 5⌋ = ⌊205 n / 2¹⁰⌋ for n < 15; for n < 5 it is 0 anyway.
        coefficients[count] = eta == 2 ? 2 &- (number &- ((205 &* number) &>> 10) &* 5) : 4 &- number
        count &+= 1
      }
      guard count < Self.count else { break }
    }
    return count
  }

  /// Takes the packed form of coefficients of a mask. They are spread out in place: packed, they lie at the end, and no
  /// coefficient is written before what lies there was read.
  /// - Parameter block: of SHAKE256. Secret.
  /// - Parameter taken: how many words there are already.
  /// - Parameter wordCount: how many there are to be: 4 · the bits of a coefficient.
  /// - Returns: how many there are now.
  ///
  /// Timing: depends on nothing.
  fileprivate func takePacked(_ block: KeccakBlock, _ taken: Int, wordCount: Int) -> Int {
    let count = min(KeccakBlock.wordCount256, wordCount &- taken)
    let room = packed(byteCount: 8 &* wordCount)
    for index in 0..<count {
      room.storeBytes(
        of: block.words[index &* block.stride].littleEndian, toByteOffset: 8 &* (taken &+ index), as: UInt64.self)
    }
    return taken &+ count
  }

  /// The last bytes of the coefficients.
  private func packed(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    let all = UnsafeMutableRawBufferPointer(start: coefficients, count: 4 &* Self.count)
    return UnsafeMutableRawBufferPointer(rebasing: all[(all.count &- byteCount)...])
  }

  /// Coefficients from −γ₁ + 1 to γ₁ of their packed form, as canonical ones.
  fileprivate func unpackMask(_ parameterSet: MLDSAParameterSet) {
    let bitCount = parameterSet.maskBitCount
    let bytes = packed(byteCount: PackedIntegers.byteCount(bitCount: bitCount))
    PackedIntegers.unpack(UnsafeRawBufferPointer(bytes), bitCount: bitCount, to: coefficients)
    subtract(from: parameterSet.gamma1)
  }

  /// Draws a challenge: τ coefficients are 1 or −1, all others 0.
  ///
  /// A place is reached by going through all of them, so that no address depends on the commitment, not even in a try
  /// that is rejected.
  /// - Parameter seed: c̃.
  ///
  /// Timing: depends on which bytes are rejected. They are independent of those that are kept.
  /// Source: FIPS 204 algorithm 29.
  func setChallenge(seed: UnsafeRawBufferPointer, weight: Int) {
    var sponge = KeccakSponge.shake256
    sponge.update(seed)
    var output = sponge.finalize()
    wipe(&sponge)
    defer { wipe(&output) }
    withUnsafeTemporaryAllocation(byteCount: 256 &+ 8 &+ 136, alignment: 16) { room in
      defer { wipe(room) }
      room.initializeMemory(as: UInt8.self, repeating: 0)
      let signs = UnsafeMutableRawBufferPointer(rebasing: room[256..<264])
      let candidates = UnsafeMutableRawBufferPointer(rebasing: room[264...])
      output.read(into: signs)
      var bits = UInt64(littleEndian: signs.loadUnaligned(as: UInt64.self))
      var next = candidates.count
      for last in (256 &- weight)..<256 {
        var place: UInt8
        repeat {
          if next == candidates.count {
            output.read(into: candidates)
            next = 0
          }
          place = candidates[next]
          next &+= 1
        } while Mask(UInt64(truncatingIfNeeded: last), isLessThan: UInt64(place)).declassified
        // c[last] ← c[place], c[place] ← ±1. Until now c[last] is 0, also where the two are the same.
        room[last] |= Self.exchange(room, at: place, for: 1 &- 2 &* UInt8(truncatingIfNeeded: bits & 1))
        bits &>>= 1
      }
      for index in 0..<Self.count { coefficients[index] = Int32(Int8(bitPattern: room[index])) }
    }
  }

  /// Writes a byte of 256 and gives the one that was there. All are read and written.
  private static func exchange(
    _ bytes: UnsafeMutableRawBufferPointer, at place: UInt8, for byte: UInt8
  ) -> UInt8 {
    // The barrier of the masks below.
    let zero = SIMD16<UInt8>(repeating: UInt8(truncatingIfNeeded: opaqueZero()))
    let wanted = SIMD16<UInt8>(repeating: place)
    let new = SIMD16<UInt8>(repeating: byte)
    var places = SIMD16<UInt8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    var found = SIMD16<UInt8>.zero
    for offset in stride(from: 0, to: 256, by: 16) {
      let isPlace = SIMD16<UInt8>.zero.replacing(with: 0xff, where: places .== wanted) ^ zero
      let old = bytes.load(fromByteOffset: offset, as: SIMD16<UInt8>.self)
      found |= old & isPlace
      bytes.storeBytes(of: old ^ (old ^ new) & isPlace, toByteOffset: offset, as: SIMD16<UInt8>.self)
      places &+= 16
    }
    return found.wrappedSum()
  }
}
