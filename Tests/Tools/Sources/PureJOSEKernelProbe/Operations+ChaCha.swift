#if HARDWARE_KERNELS && arch(x86_64)
  import PureCrypto
  import PureCryptoKernelsAVX2
  import PureCryptoKernelsAVX512
  import PureCryptoKernelsIFMA

  extension Operations {
    /// ChaCha20 by batches of eight and of sixteen blocks, and Poly1305 by groups of four and of eight; key and message
    /// are secret.
    static var chacha: [Operation] {
      (Backend.available.contains(.avx2) ? chachaAVX2 : [])
        + (Backend.available.contains(.avx512) ? chachaAVX512 : [])
        + (Backend.available.contains(.avx512ifma) ? poly1305IFMA : [])
    }

    private static var chachaAVX2: [Operation] {
      [1, 2, 5].flatMap { count in
        [
          Operation("chacha20, AVX2, \(8 * count) blocks") { secret, memory in
            let block = firstBlock(secret, memory)
            return {
              chacha20AddAVX2(
                block: block, counter: 1, input: memory.input, output: memory.output, batchCount: count)
            }
          },
          Operation("poly1305, AVX2, \(4 * count) blocks") { secret, memory in
            let sum = sumAndPowers(secret, memory)
            return {
              poly1305AddAVX2(
                sum: sum, powers: memory.key + 64, blocks: memory.input, groupCount: count, zero: 0)
            }
          },
        ]
      }
    }

    private static var chachaAVX512: [Operation] {
      [1, 2, 5].map { count in
        Operation("chacha20, AVX-512, \(16 * count) blocks") { secret, memory in
          let block = firstBlock(secret, memory)
          return {
            chacha20AddAVX512(
              block: block, counter: 1, input: memory.input, output: memory.output, batchCount: count)
          }
        }
      }
    }

    private static var poly1305IFMA: [Operation] {
      [1, 2, 3, 4, 7].map { count in
        Operation("poly1305, AVX-512 IFMA, \(8 * count) blocks") { secret, memory in
          let sum = sumAndPowers(secret, memory)
          return { poly1305AddIFMA(sum: sum, powers: memory.key + 64, blocks: memory.input, groupCount: count) }
        }
      }
    }

    /// Sixteen words of the secret's message.
    private static func firstBlock(_ secret: Secret, _ memory: Memory) -> UnsafePointer<UInt32> {
      memory.reset(for: secret)
      memory.key.copyMemory(from: memory.input, byteCount: 64)
      return UnsafePointer(memory.key.bindMemory(to: UInt32.self, capacity: 16))
    }

    /// Limbs of at most 26 bits, which suits both kernels.
    private static func sumAndPowers(_ secret: Secret, _ memory: Memory) -> UnsafeMutablePointer<UInt64> {
      memory.reset(for: secret)
      let words = memory.key.bindMemory(to: UInt64.self, capacity: 96)
      for index in 0..<81 {
        words[index] = memory.input.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) & (1 << 26 - 1)
      }
      return words
    }
  }
#endif
