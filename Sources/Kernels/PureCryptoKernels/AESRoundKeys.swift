#if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
  internal import PureCryptoInstructions

  /// Writes the Nr + 1 round keys of AES, 16 bytes each, by the processor's AES instructions.
  /// - Parameter key: 4 · `keyWordCount` readable bytes.
  /// - Parameter keyWordCount: Nk: 4, 6 or 8.
  /// - Parameter roundKeys: room for 16 · (Nk + 7) bytes.
  ///
  /// The processor must have AES-NI and SSE4.1, or AES of ARMv8.
  ///
  /// Timing: depends on `keyWordCount` only.
  /// Source: FIPS 197 §5.2.
  @export(interface)
  package func aesExpandKey(
    key: UnsafeRawPointer, keyWordCount: Int, roundKeys: UnsafeMutableRawPointer
  ) {
    switch keyWordCount {
    case 4: expandKey128(key, roundKeys)
    case 8: expandKey256(key, roundKeys)
    default: expandKey192(key, roundKeys)
    }
  }

  @inline(__always)
  private func expandKey128(_ key: UnsafeRawPointer, _ roundKeys: UnsafeMutableRawPointer) {
    var words = key.loadUnaligned(as: SIMD2<Int64>.self)
    roundKeys.storeBytes(of: words, as: SIMD2<Int64>.self)
    var rcon: UInt32 = 1
    for round in 1...10 {
      words = addBlocks(prefixSums(words), substituteAndRotate(last(words), rcon))
      roundKeys.storeBytes(of: words, toByteOffset: 16 &* round, as: SIMD2<Int64>.self)
      rcon = next(rcon)
    }
  }

  @inline(__always)
  private func expandKey256(_ key: UnsafeRawPointer, _ roundKeys: UnsafeMutableRawPointer) {
    var even = key.loadUnaligned(as: SIMD2<Int64>.self)
    var odd = key.loadUnaligned(fromByteOffset: 16, as: SIMD2<Int64>.self)
    roundKeys.storeBytes(of: even, as: SIMD2<Int64>.self)
    roundKeys.storeBytes(of: odd, toByteOffset: 16, as: SIMD2<Int64>.self)
    var rcon: UInt32 = 1
    for round in 1...7 {
      even = addBlocks(prefixSums(even), substituteAndRotate(last(odd), rcon))
      roundKeys.storeBytes(of: even, toByteOffset: 32 &* round, as: SIMD2<Int64>.self)
      if round == 7 { break }
      odd = addBlocks(prefixSums(odd), substitute(last(even)))
      roundKeys.storeBytes(of: odd, toByteOffset: 32 &* round &+ 16, as: SIMD2<Int64>.self)
      rcon = next(rcon)
    }
  }

  /// Six words do not fill vectors evenly, and the length is rare: word by word, as the standard has it.
  @inline(__always)
  private func expandKey192(_ key: UnsafeRawPointer, _ roundKeys: UnsafeMutableRawPointer) {
    for i in 0..<6 {
      let word = key.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self)
      roundKeys.storeBytes(of: word, toByteOffset: 4 &* i, as: UInt32.self)
    }
    var word = key.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
    var rcon: UInt32 = 1
    var phase = 0
    for i in 6..<52 {
      if phase == 0 {
        let substituted = substituteAndRotate(unsafeBitCast(SIMD4(word, word, word, word), to: SIMD2<Int64>.self), rcon)
        word = unsafeBitCast(substituted, to: SIMD4<UInt32>.self)[0]
        rcon = next(rcon)
      }
      word ^= roundKeys.load(fromByteOffset: 4 &* (i &- 6), as: UInt32.self)
      roundKeys.storeBytes(of: word, toByteOffset: 4 &* i, as: UInt32.self)
      phase = phase == 5 ? 0 : phase &+ 1
    }
  }

  /// Doubles in GF(2⁸): 0x80 is followed by 0x1b. A position in the schedule, not a secret.
  @inline(__always)
  private func next(_ rcon: UInt32) -> UInt32 {
    rcon == 0x80 ? 0x1b : rcon &<< 1
  }

  /// (w₀, w₀ ⊕ w₁, w₀ ⊕ w₁ ⊕ w₂, w₀ ⊕ w₁ ⊕ w₂ ⊕ w₃).
  @inline(__always)
  private func prefixSums(_ words: SIMD2<Int64>) -> SIMD2<Int64> {
    let w = unsafeBitCast(words, to: SIMD4<Int32>.self)
    let pairs = addBlocks(words, unsafeBitCast(SIMD4(0, w[0], w[1], w[2]), to: SIMD2<Int64>.self))
    return addBlocks(pairs, SIMD2(0, pairs[0]))
  }

  /// Four times the last word.
  @inline(__always)
  private func last(_ words: SIMD2<Int64>) -> SIMD2<Int64> {
    let w = unsafeBitCast(words, to: SIMD4<Int32>.self)
    return unsafeBitCast(SIMD4(w[3], w[3], w[3], w[3]), to: SIMD2<Int64>.self)
  }

  /// SubWord of a word given four times. The last round is ShiftRows, which does nothing to four equal columns, then
  /// SubBytes.
  @inline(__always)
  private func substitute(_ words: SIMD2<Int64>) -> SIMD2<Int64> {
    aesLastRound(words, SIMD2(0, 0))
  }

  /// SubWord(RotWord(w)) ⊕ Rcon of a word given four times. RotWord is a rotation to the right by a byte in memory
  /// order.
  @inline(__always)
  private func substituteAndRotate(_ words: SIMD2<Int64>, _ rcon: UInt32) -> SIMD2<Int64> {
    aesLastRound(
      rotateWordsByAByte(words), unsafeBitCast(SIMD4(rcon, rcon, rcon, rcon), to: SIMD2<Int64>.self))
  }
#endif
