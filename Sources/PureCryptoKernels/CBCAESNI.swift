#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  /// Room for a key prepared for CBC by AES-NI: 15 round keys for encryption, then 15 for decryption.
  package let cbcKeyByteCountAESNI = 2 * 240

  /// Prepares a key for both directions of CBC.
  /// - Parameter key: 4 · `keyWordCount` readable bytes.
  /// - Parameter keyWordCount: Nk: 4, 6 or 8.
  /// - Parameter memory: room for `cbcKeyByteCountAESNI` bytes on a 16-byte boundary.
  ///
  /// The processor must have AES-NI and SSE4.1. Timing: depends on `keyWordCount` only.
  /// Source: FIPS 197 §5.3.5, the equivalent inverse cipher.
  package func cbcPrepareAESNI(key: UnsafeRawPointer, keyWordCount: Int, memory: UnsafeMutableRawPointer) {
    aesExpandKeyAESNI(key: key, keyWordCount: keyWordCount, roundKeys: memory)
    let last = keyWordCount &+ 6
    let inverse = memory + 240
    for round in 0...last {
      let roundKey = memory.load(fromByteOffset: 16 &* (last &- round), as: SIMD2<Int64>.self)
      let isOuter = round == 0 || round == last
      inverse.storeBytes(
        of: isOuter ? roundKey : _mm_aesimc_si128(roundKey), toByteOffset: 16 &* round, as: SIMD2<Int64>.self)
    }
  }

  /// Encrypts whole blocks, each after adding the one before it.
  /// - Parameter key: what `cbcPrepareAESNI` wrote.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter input: 16 · `blockCount` readable bytes.
  /// - Parameter output: room for as many bytes; the same address as `input` or no overlap.
  ///
  /// The processor must have AES-NI and SSE4.1. Timing: depends on `roundCount` and `blockCount` only.
  /// Source: NIST SP 800-38A §6.2.
  package func cbcEncryptAESNI(
    key: UnsafeRawPointer, roundCount: Int, initializationVector: SIMD2<Int64>,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    var chain = initializationVector
    for block in 0..<blockCount {
      var x = input.loadUnaligned(fromByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      x = _mm_xor_si128(_mm_xor_si128(x, chain), roundKey(key, 0))
      for round in 1..<roundCount { x = _mm_aesenc_si128(x, roundKey(key, round)) }
      chain = _mm_aesenclast_si128(x, roundKey(key, roundCount))
      output.storeBytes(of: chain, toByteOffset: 16 &* block, as: SIMD2<Int64>.self)
    }
  }

  /// Decrypts whole blocks; four at a time, since they do not wait for each other. Parameters as for encryption.
  package func cbcDecryptAESNI(
    key: UnsafeRawPointer, roundCount: Int, initializationVector: SIMD2<Int64>,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    let inverse = key + 240
    var chain = initializationVector
    var block = 0
    while block &+ 4 <= blockCount {
      let c0 = input.loadUnaligned(fromByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      let c1 = input.loadUnaligned(fromByteOffset: 16 &* block &+ 16, as: SIMD2<Int64>.self)
      let c2 = input.loadUnaligned(fromByteOffset: 16 &* block &+ 32, as: SIMD2<Int64>.self)
      let c3 = input.loadUnaligned(fromByteOffset: 16 &* block &+ 48, as: SIMD2<Int64>.self)
      let first = roundKey(inverse, 0)
      var x0 = _mm_xor_si128(c0, first)
      var x1 = _mm_xor_si128(c1, first)
      var x2 = _mm_xor_si128(c2, first)
      var x3 = _mm_xor_si128(c3, first)
      for round in 1..<roundCount {
        let key = roundKey(inverse, round)
        x0 = _mm_aesdec_si128(x0, key)
        x1 = _mm_aesdec_si128(x1, key)
        x2 = _mm_aesdec_si128(x2, key)
        x3 = _mm_aesdec_si128(x3, key)
      }
      let last = roundKey(inverse, roundCount)
      x0 = _mm_xor_si128(_mm_aesdeclast_si128(x0, last), chain)
      x1 = _mm_xor_si128(_mm_aesdeclast_si128(x1, last), c0)
      x2 = _mm_xor_si128(_mm_aesdeclast_si128(x2, last), c1)
      x3 = _mm_xor_si128(_mm_aesdeclast_si128(x3, last), c2)
      output.storeBytes(of: x0, toByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      output.storeBytes(of: x1, toByteOffset: 16 &* block &+ 16, as: SIMD2<Int64>.self)
      output.storeBytes(of: x2, toByteOffset: 16 &* block &+ 32, as: SIMD2<Int64>.self)
      output.storeBytes(of: x3, toByteOffset: 16 &* block &+ 48, as: SIMD2<Int64>.self)
      chain = c3
      block &+= 4
    }
    while block < blockCount {
      let ciphertext = input.loadUnaligned(fromByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      var x = _mm_xor_si128(ciphertext, roundKey(inverse, 0))
      for round in 1..<roundCount { x = _mm_aesdec_si128(x, roundKey(inverse, round)) }
      x = _mm_xor_si128(_mm_aesdeclast_si128(x, roundKey(inverse, roundCount)), chain)
      output.storeBytes(of: x, toByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      chain = ciphertext
      block &+= 1
    }
  }

  @inline(__always)
  private func roundKey(_ key: UnsafeRawPointer, _ round: Int) -> SIMD2<Int64> {
    key.load(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self)
  }
#endif
