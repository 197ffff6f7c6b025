#if HARDWARE_KERNELS && arch(x86_64)
  import PureCrypto
  import PureCryptoKernelsAVX512

  extension Operations {
    /// What ML-KEM and ML-DSA draw their secrets from. The constants don't matter here.
    static var keccak: [Operation] {
      guard Backend.available.contains(.avx512) else { return [] }
      return [
        Operation("keccak of eight states, AVX-512") { secret, memory in
          memory.reset(for: secret)
          return { keccakPermuteAVX512(states: memory.input, roundConstants: memory.key) }
        }
      ]
    }

    /// Products without IFMA, with everything secret. Of RSA's public powers, those of blinding values are.
    static var longIntegersWithoutIFMA: [Operation] {
      guard Backend.available.contains(.avx512) else { return [] }
      return [10, 15, 19].flatMap { registers in
        [
          Operation("montgomery product, AVX-512, \(registers) registers") { secret, memory in
            fill(memory, with: secret, registers: registers)
            return {
              montgomeryProductAVX512(
                product: memory.output, a: memory.input, b: memory.input + 64 * registers, modulus: memory.key,
                registerCount: registers)
            }
          },
          Operation("montgomery squares, AVX-512, \(registers) registers") { secret, memory in
            fill(memory, with: secret, registers: registers)
            return {
              montgomerySquareAVX512(number: memory.input, times: 2, modulus: memory.key, registerCount: registers)
            }
          },
          Operation("digits cut and joined, AVX-512, \(registers) registers") { secret, memory in
            memory.reset(for: secret)
            let limbs = memory.input.assumingMemoryBound(to: UInt64.self)
            return {
              montgomeryCutAVX512(
                limbs: limbs, count: 3 * registers, digits: memory.output, registerCount: registers)
              montgomeryJoinAVX512(
                digits: memory.output, registerCount: registers, limbs: limbs, count: 3 * registers)
            }
          },
        ]
      }
    }

    /// Numbers whose digits have 27 bits, and a modulus of which no digit is anything else.
    private static func fill(_ memory: Memory, with secret: Secret, registers: Int) {
      memory.reset(for: secret)
      let byteCount = montgomeryModulusByteCountAVX512(registerCount: registers)
      memory.key.copyMemory(from: memory.input, byteCount: byteCount)
      for place in 0..<byteCount / 8 { clip(memory.key, place) }
      for place in 0..<256 { clip(memory.input, place) }
      montgomeryPrepareAVX512(modulus: memory.key, registerCount: registers)
    }

    private static func clip(_ memory: UnsafeMutableRawPointer, _ place: Int) {
      let word = memory.load(fromByteOffset: 8 * place, as: UInt64.self)
      memory.storeBytes(of: word & 0x7ff_ffff, toByteOffset: 8 * place, as: UInt64.self)
    }
  }
#endif
