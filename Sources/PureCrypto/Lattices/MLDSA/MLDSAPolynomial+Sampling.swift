extension MLDSAPolynomial {
  /// Draws a transform uniformly: candidates of 23 bits, of which those below q are taken, as many as it needs.
  /// Canonical.
  ///
  /// For the public matrix.
  /// - Parameter seed: ρ, 32 bytes.
  /// Source: FIPS 204 algorithms 14 and 30, and algorithm 32 for the order of the two bytes.
  func setUniformVariableTime(seed: UnsafeRawBufferPointer, column: Int, row: Int) {
    var sponge = KeccakSponge.shake128
    sponge.update(seed)
    sponge.update(UInt8(truncatingIfNeeded: column))
    sponge.update(UInt8(truncatingIfNeeded: row))
    var output = sponge.finalize()
    // A block of SHAKE128: 56 times three bytes.
    withUnsafeTemporaryAllocation(byteCount: 168, alignment: 8) { block in
      var count = 0
      while count < Self.count {
        output.read(into: block)
        var offset = 0
        while offset < block.count, count < Self.count {
          let low = Int32(block[offset]) | Int32(block[offset &+ 1]) &<< 8
          let candidate = low | Int32(block[offset &+ 2] & 0x7f) &<< 16
          coefficients[count] = candidate
          if candidate < Self.q { count &+= 1 }
          offset &+= 3
        }
      }
    }
  }

  /// Draws small coefficients uniformly, −η to η: candidates of four bits, of which those below 15 (η = 2) or 9
  /// (η = 4) are taken.
  ///
  /// - Parameter seed: ρ′, 64 bytes. Secret.
  /// - Parameter nonce: which of the polynomials of that seed.
  ///
  /// Timing: depends on which candidates are rejected. Candidates are independent of each other, so that nothing is
  /// learned of those that are kept.
  /// Source: FIPS 204 algorithms 15, 31 and 33.
  func setSmall(seed: UnsafeRawBufferPointer, nonce: Int, eta: Int) {
    var sponge = KeccakSponge.shake256
    sponge.update(seed)
    sponge.update(UInt8(truncatingIfNeeded: nonce))
    sponge.update(0)
    var output = sponge.finalize()
    wipe(&sponge)
    defer { wipe(&output) }
    let limit: UInt64 = eta == 2 ? 15 : 9
    withUnsafeTemporaryAllocation(byteCount: 136, alignment: 8) { block in
      defer { wipe(block) }
      var count = 0
      while count < Self.count {
        output.read(into: block)
        var half = 0
        while half < 2 &* block.count, count < Self.count {
          let candidate = block[half &>> 1] &>> UInt8(truncatingIfNeeded: half & 1 &* 4) & 15
          half &+= 1
          guard Mask(UInt64(candidate), isLessThan: limit).declassified else { continue }
          let number = Int32(candidate)
          // ⌊n / 5⌋ = ⌊205 n / 2¹⁰⌋ for n < 15; for n < 5 it is 0 anyway.
          coefficients[count] = eta == 2 ? 2 &- (number &- ((205 &* number) &>> 10) &* 5) : 4 &- number
          count &+= 1
        }
      }
    }
  }

  /// Draws coefficients uniformly from −γ₁ + 1 to γ₁, as canonical ones.
  ///
  /// - Parameter seed: ρ″, 64 bytes. Secret.
  /// - Parameter nonce: another one for each polynomial that is ever made of that seed. It stays below 2¹⁶ for 9362
  ///   tries, and 814 are less likely than 2⁻²⁵⁶ already (FIPS 204 appendix C).
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 204 algorithm 34.
  func setMask(seed: UnsafeRawBufferPointer, nonce: Int, _ parameterSet: MLDSAParameterSet) {
    let bitCount = parameterSet.maskBitCount
    withUnsafeTemporaryAllocation(byteCount: PackedIntegers.byteCount(bitCount: bitCount), alignment: 8) { bytes in
      defer { wipe(bytes) }
      withUnsafeBytes(of: UInt16(truncatingIfNeeded: nonce).littleEndian) { nonce in
        KeccakSponge.shake256.write(seed, nonce, to: bytes)
      }
      PackedIntegers.unpack(UnsafeRawBufferPointer(bytes), bitCount: bitCount, to: coefficients)
    }
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
