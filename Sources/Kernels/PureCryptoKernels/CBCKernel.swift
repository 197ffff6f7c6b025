#if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
  internal import PureCryptoInstructions

  /// Room for a key prepared for CBC: 15 round keys for encryption, then 15 for decryption.
  package let cbcKeyByteCount = 2 * 240

  /// Prepares a key for both directions of CBC.
  /// - Parameter key: 4 · `keyWordCount` readable bytes.
  /// - Parameter keyWordCount: Nk: 4, 6 or 8.
  /// - Parameter memory: room for `cbcKeyByteCount` bytes on a 16-byte boundary.
  ///
  /// The processor must have AES-NI and SSE4.1, or AES of ARMv8.
  ///
  /// Timing: depends on `keyWordCount` only.
  /// Source: FIPS 197 §5.3.5, the equivalent inverse cipher.
  @export(interface)
  package func cbcPrepare(key: UnsafeRawPointer, keyWordCount: Int, memory: UnsafeMutableRawPointer) {
    aesExpandKey(key: key, keyWordCount: keyWordCount, roundKeys: memory)
    let last = keyWordCount &+ 6
    let inverse = memory + 240
    for round in 0...last {
      let roundKey = memory.load(fromByteOffset: 16 &* (last &- round), as: SIMD2<Int64>.self)
      let isOuter = round == 0 || round == last
      inverse.storeBytes(
        of: isOuter ? roundKey : aesInverseMixColumns(roundKey), toByteOffset: 16 &* round, as: SIMD2<Int64>.self)
    }
  }

  /// Encrypts whole blocks, each after adding the one before it.
  /// - Parameter key: what `cbcPrepare` wrote.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter input: 16 · `blockCount` readable bytes.
  /// - Parameter output: room for as many bytes; the same address as `input` or no overlap.
  ///
  /// The processor must have AES-NI and SSE4.1, or AES of ARMv8.
  ///
  /// Timing: depends on `roundCount` and `blockCount` only.
  /// Source: NIST SP 800-38A §6.2.
  @export(interface)
  package func cbcEncrypt(
    key: UnsafeRawPointer, roundCount: Int, initializationVector: SIMD2<Int64>,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    var chain = initializationVector
    for block in 0..<blockCount {
      var x = input.loadUnaligned(fromByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      x = addBlocks(addBlocks(x, chain), roundKey(key, 0))
      for round in 1..<roundCount { x = aesRound(x, roundKey(key, round)) }
      chain = aesLastRound(x, roundKey(key, roundCount))
      output.storeBytes(of: chain, toByteOffset: 16 &* block, as: SIMD2<Int64>.self)
    }
  }

  /// Decrypts whole blocks; four at a time, since they do not wait for each other. Parameters as for encryption.
  @export(interface)
  package func cbcDecrypt(
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
      var x0 = addBlocks(c0, first)
      var x1 = addBlocks(c1, first)
      var x2 = addBlocks(c2, first)
      var x3 = addBlocks(c3, first)
      for round in 1..<roundCount {
        let key = roundKey(inverse, round)
        x0 = aesInverseRound(x0, key)
        x1 = aesInverseRound(x1, key)
        x2 = aesInverseRound(x2, key)
        x3 = aesInverseRound(x3, key)
      }
      let last = roundKey(inverse, roundCount)
      x0 = addBlocks(aesInverseLastRound(x0, last), chain)
      x1 = addBlocks(aesInverseLastRound(x1, last), c0)
      x2 = addBlocks(aesInverseLastRound(x2, last), c1)
      x3 = addBlocks(aesInverseLastRound(x3, last), c2)
      output.storeBytes(of: x0, toByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      output.storeBytes(of: x1, toByteOffset: 16 &* block &+ 16, as: SIMD2<Int64>.self)
      output.storeBytes(of: x2, toByteOffset: 16 &* block &+ 32, as: SIMD2<Int64>.self)
      output.storeBytes(of: x3, toByteOffset: 16 &* block &+ 48, as: SIMD2<Int64>.self)
      chain = c3
      block &+= 4
    }
    while block < blockCount {
      let ciphertext = input.loadUnaligned(fromByteOffset: 16 &* block, as: SIMD2<Int64>.self)
      var x = addBlocks(ciphertext, roundKey(inverse, 0))
      for round in 1..<roundCount { x = aesInverseRound(x, roundKey(inverse, round)) }
      x = addBlocks(aesInverseLastRound(x, roundKey(inverse, roundCount)), chain)
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
