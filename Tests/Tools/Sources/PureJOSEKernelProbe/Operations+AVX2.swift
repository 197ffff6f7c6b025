#if HARDWARE_KERNELS && arch(x86_64)
  import PureCrypto
  import PureCryptoKernelsAVX2

  extension Operations {
    /// SHA-512 with the chaining value and the message secret: no block, an odd and an even number.
    static var hashOnVectors: [Operation] {
      guard Backend.available.contains(.avx2) else { return [] }
      return [0, 1, 2, 5].map { count in
        Operation("sha512 compress, AVX2, \(count) blocks") { secret, memory in
          memory.reset(for: secret)
          memory.output.copyMemory(from: secret.octets(count: 64), byteCount: 64)
          return {
            sha512CompressAVX2(
              state: memory.output.assumingMemoryBound(to: UInt64.self), blocks: memory.input, count: count,
              constants: memory.key, schedule: memory.output + 64, zero: 0)
          }
        }
      }
    }

    /// One state; the constants are public, but secret here.
    static var keccakOfOneState: [Operation] {
      guard Backend.available.contains(.avx2) else { return [] }
      return [
        Operation("keccak of one state, BMI2") { secret, memory in
          memory.reset(for: secret)
          return {
            keccakPermuteBMI2(
              lanes: memory.input.assumingMemoryBound(to: UInt64.self), roundConstants: memory.input + 256)
          }
        }
      ]
    }

    /// Two blocks to one, beside what is there.
    static var argon2OnVectors: [Operation] {
      guard Backend.available.contains(.avx2) else { return [] }
      return [
        Operation("argon2 compression, AVX2") { secret, memory in
          memory.reset(for: secret)
          return {
            argon2CompressAVX2(
              x: memory.input, y: memory.input + 1024, into: memory.output, kept: -1, scratch: memory.output + 1024)
          }
        }
      ]
    }

    /// Products and powers with everything secret: numbers, moduli and exponents.
    static var longIntegersWithAVX2: [Operation] {
      guard Backend.available.contains(.avx2) else { return [] }
      let products = [9, 14, 18, 28, 36].flatMap { registers -> [Operation] in
        let byteCount = 32 * registers
        return [
          Operation("montgomery product, AVX2, \(registers) registers") { secret, memory in
            fill(memory, with: secret, registers: registers)
            return {
              montgomeryProductAVX2(
                product: memory.output, a: memory.input, b: memory.input + byteCount, modulus: memory.key,
                room: memory.output + byteCount, registerCount: registers)
            }
          },
          Operation("montgomery squares, AVX2, \(registers) registers") { secret, memory in
            fill(memory, with: secret, registers: registers)
            return {
              montgomerySquareAVX2(
                number: memory.input, times: 2, modulus: memory.key, room: memory.output, registerCount: registers)
            }
          },
          Operation("digits cut and joined, AVX2, \(registers) registers") { secret, memory in
            memory.reset(for: secret)
            let limbs = memory.input.assumingMemoryBound(to: UInt64.self)
            return {
              montgomeryCutAVX2(
                limbs: limbs, count: 2 * registers - 1, digits: memory.output, registerCount: registers)
              montgomeryJoinAVX2(
                digits: memory.output, registerCount: registers, limbs: limbs, count: 2 * registers - 1)
            }
          },
        ]
      }
      let powers = [9, 14, 18].map { registers in
        Operation("montgomery power, AVX2, \(registers) registers", isLong: registers != 9) { secret, memory in
          fill(memory, with: secret, registers: registers)
          let exponent = UnsafeRawPointer(memory.input + 4096).assumingMemoryBound(to: UInt64.self)
          let room = UnsafeMutableRawPointer.allocate(
            byteCount: montgomeryPowerByteCountAVX2(registerCount: registers), alignment: 64)
          return {
            montgomeryPowerAVX2(
              number: memory.input, exponent: exponent, exponentCount: 1, modulus: memory.key, room: room,
              registerCount: registers)
          }
        }
      }
      return products + powers
    }

    /// Numbers whose digits have 29 bits, and a modulus of which no digit is anything else.
    private static func fill(_ memory: Memory, with secret: Secret, registers: Int) {
      memory.reset(for: secret)
      let byteCount = montgomeryModulusByteCountAVX2(registerCount: registers)
      memory.key.copyMemory(from: memory.input, byteCount: byteCount)
      for place in 0..<byteCount / 8 { clip(memory.key, place) }
      for place in 0..<288 { clip(memory.input, place) }
      montgomeryPrepareAVX2(modulus: memory.key, registerCount: registers)
    }

    private static func clip(_ memory: UnsafeMutableRawPointer, _ place: Int) {
      let word = memory.load(fromByteOffset: 8 * place, as: UInt64.self)
      memory.storeBytes(of: word & 0x1fff_ffff, toByteOffset: 8 * place, as: UInt64.self)
    }
  }
#endif
