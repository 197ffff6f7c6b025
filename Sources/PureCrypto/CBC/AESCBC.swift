#if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
  internal import PureCryptoKernels
#endif

/// AES in Cipher Block Chaining mode on whole blocks: a key made ready, wiped when the last copy goes.
///
/// It neither pads nor authenticates. Alone it protects nothing: ``AESCBCHMAC`` and ``AESKeyWrap`` stand on it.
///
/// Timing: depends on the length of the key and on the number of blocks.
/// Source: NIST SP 800-38A §6.2.
package struct AESCBC: Sendable {
  // Read only once made: see SecretStorage on sharing between threads.
  private nonisolated(unsafe) let roundKeys: SecretStorage
  private let variant: AESVariant
  private let backend: Backend

  /// Makes a key ready.
  /// - Parameter key: 16, 24 or 32 bytes. Secret.
  /// - Throws: `.invalidKeyLength` for any other length.
  package init(key: UnsafeRawBufferPointer, backend: Backend = .preferred) throws(CryptoError) {
    let variant = try AESVariant(keyByteCount: key.count)
    self.variant = variant
    self.backend = backend
    roundKeys = SecretStorage.make(byteCount: Self.byteCount(for: backend)) { memory in
      guard let memory = memory.baseAddress, let key = key.baseAddress else { return }
      switch backend {
      case .portable: BitslicedAES.expand(key: key, variant: variant, into: memory)
      #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
        // Chaining leaves nothing to do for wider registers.
        default: cbcPrepare(key: key, keyWordCount: variant.keyWordCount, memory: memory)
      #endif
      }
    }
  }

  private static func byteCount(for backend: Backend) -> Int {
    switch backend {
    case .portable: BitslicedAES.maximumByteCount
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
      default: cbcKeyByteCount
    #endif
    }
  }

  /// Encrypts whole blocks.
  /// - Parameter input: a multiple of 16 bytes; bytes beyond the last whole block are not looked at.
  /// - Parameter output: at least as long as `input`; the same memory or no overlap.
  package func encrypt(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, initializationVector: SIMD2<UInt64>
  ) {
    withBlocks(input, output) { memory, input, output, blockCount in
      switch backend {
      case .portable:
        BitslicedAES(roundKeys: memory, variant: variant)
          .cbcEncrypt(input, to: output, blockCount: blockCount, initializationVector)
      #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
        default:
          cbcEncrypt(
            key: memory, roundCount: variant.roundCount,
            initializationVector: SIMD2<Int64>(truncatingIfNeeded: initializationVector), input: input, output: output,
            blockCount: blockCount)
      #endif
      }
    }
  }

  @inline(__always)
  private func withBlocks(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer,
    _ body: (
      _ roundKeys: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ blockCount: Int
    ) -> Void
  ) {
    let blockCount = min(input.count, output.count) &>> 4
    guard let input = input.baseAddress, let output = output.baseAddress else { return }
    roundKeys.withBytes { memory in
      if let memory = memory.baseAddress { body(memory, input, output, blockCount) }
    }
  }

  /// Decrypts whole blocks.
  /// - Parameter input: a multiple of 16 bytes; bytes beyond the last whole block are not looked at.
  /// - Parameter output: at least as long as `input`, and other memory.
  package func decrypt(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, initializationVector: SIMD2<UInt64>
  ) {
    withBlocks(input, output) { memory, input, output, blockCount in
      switch backend {
      case .portable:
        BitslicedAES(roundKeys: memory, variant: variant)
          .cbcDecrypt(input, to: output, blockCount: blockCount, initializationVector)
      #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
        default:
          cbcDecrypt(
            key: memory, roundCount: variant.roundCount,
            initializationVector: SIMD2<Int64>(truncatingIfNeeded: initializationVector), input: input, output: output,
            blockCount: blockCount)
      #endif
      }
    }
  }
}

extension AESCBC {
  /// Encrypts whole blocks, or decrypts them. For known-answer vectors.
  /// - Throws: `.invalidBlockLength` unless the input is made of blocks, `.invalidInitializationVectorLength`.
  package func map(
    _ input: [UInt8], initializationVector: [UInt8], isEncrypting: Bool
  ) throws(CryptoError) -> [UInt8] {
    guard input.count & 15 == 0 else {
      throw CryptoError(.invalidBlockLength, "the input is not made of blocks of 16 bytes")
    }
    let vector = try Self.block(initializationVector)
    return [UInt8](unsafeUninitializedCapacity: max(input.count, 1)) { output, initializedCount in
      input.withUnsafeBytes { input in
        let output = UnsafeMutableRawBufferPointer(output)
        if isEncrypting {
          encrypt(input, to: output, initializationVector: vector)
        } else {
          decrypt(input, to: output, initializationVector: vector)
        }
      }
      initializedCount = input.count
    }
  }

  /// An initialization vector of 16 bytes as a block.
  /// - Throws: `.invalidInitializationVectorLength`.
  static func block(_ initializationVector: some Collection<UInt8>) throws(CryptoError) -> SIMD2<UInt64> {
    try withContiguousBytes(initializationVector) { (bytes) throws(CryptoError) in
      guard bytes.count == 16 else {
        throw CryptoError(.invalidInitializationVectorLength, "an initialization vector of CBC has 16 bytes")
      }
      return bytes.loadUnaligned(as: SIMD2<UInt64>.self)
    }
  }
}

extension BitslicedAES {
  @inline(__always)
  fileprivate func cbcEncrypt(
    _ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, blockCount: Int,
    _ initializationVector: SIMD2<UInt64>
  ) {
    var chain = initializationVector
    for block in 0..<blockCount {
      // Cᵢ = E(Pᵢ ⊕ Cᵢ₋₁)
      chain ^= input.loadUnaligned(fromByteOffset: 16 &* block, as: SIMD2<UInt64>.self)
      withUnsafeMutableBytes(of: &chain) { bytes in
        var state = ByteSlices(rowsOf: UnsafeRawBufferPointer(bytes))
        encrypt(&state)
        state.storeRows(to: bytes)
      }
      output.storeBytes(of: chain, toByteOffset: 16 &* block, as: SIMD2<UInt64>.self)
    }
  }

  @inline(__always)
  fileprivate func cbcDecrypt(
    _ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, blockCount: Int,
    _ initializationVector: SIMD2<UInt64>
  ) {
    var chain = initializationVector
    var block = 0
    while block < blockCount {
      let count = min(8, blockCount &- block)
      let ciphertext = UnsafeRawBufferPointer(start: input + 16 &* block, count: 16 &* count)
      var state = ByteSlices(rowsOf: ciphertext)
      decrypt(&state)
      state.storeRows(to: UnsafeMutableRawBufferPointer(start: output + 16 &* block, count: 16 &* count))
      for place in block..<(block &+ count) {
        // Pᵢ = D(Cᵢ) ⊕ Cᵢ₋₁
        let plaintext = output.loadUnaligned(fromByteOffset: 16 &* place, as: SIMD2<UInt64>.self) ^ chain
        output.storeBytes(of: plaintext, toByteOffset: 16 &* place, as: SIMD2<UInt64>.self)
        chain = input.loadUnaligned(fromByteOffset: 16 &* place, as: SIMD2<UInt64>.self)
      }
      block &+= count
    }
  }
}

extension AESCBC: CustomStringConvertible {
  /// The variant, never the key.
  package var description: String { "AESCBC(\(variant), redacted)" }
}
