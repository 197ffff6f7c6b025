#if HARDWARE_KERNELS && arch(x86_64)
  import PureCrypto
  import PureCryptoKernelsIFMA

  extension Operations {
    /// Products, and the powers of a pair, with everything secret: numbers, moduli and exponents.
    static var longIntegers: [Operation] {
      guard Backend.available.contains(.avx512ifma) else { return [] }
      return [5, 8, 10].flatMap { registers in
        [
          Operation("montgomery product, AVX-512 IFMA, \(registers) registers") { secret, memory in
            fill(memory, with: secret, registers: registers, isPair: false)
            return {
              montgomeryProductIFMA(
                product: memory.output, a: memory.input, b: memory.input + 640, modulus: memory.key,
                registerCount: registers, isPair: false)
            }
          },
          Operation("montgomery squares of a pair, AVX-512 IFMA, \(registers) registers") { secret, memory in
            fill(memory, with: secret, registers: registers, isPair: true)
            return {
              montgomerySquareIFMA(
                number: memory.input, times: 2, modulus: memory.key, registerCount: registers, isPair: true)
            }
          },
          Operation("montgomery powers of a pair, AVX-512 IFMA, \(registers) registers", isLong: registers != 5) {
            secret, memory in
            fill(memory, with: secret, registers: registers, isPair: true)
            let exponents = UnsafeRawPointer(memory.input + 4096).assumingMemoryBound(to: UInt64.self)
            let room = UnsafeMutableRawPointer.allocate(
              byteCount: montgomeryPowerByteCountIFMA(registerCount: registers), alignment: 64)
            return {
              montgomeryPowerIFMA(
                number: memory.input, first: exponents, second: exponents + 1, exponentCount: 1, modulus: memory.key,
                room: room, registerCount: registers)
            }
          },
          Operation("digits cut and joined, AVX-512 IFMA, \(registers) registers") { secret, memory in
            memory.reset(for: secret)
            let limbs = memory.input.assumingMemoryBound(to: UInt64.self)
            return {
              montgomeryCutIFMA(
                limbs: limbs, count: 6 * registers, digits: memory.output, registerCount: registers, lane: 0,
                laneCount: 8)
              montgomeryJoinIFMA(
                digits: memory.output, registerCount: registers, lane: 4, laneCount: 4, limbs: limbs,
                count: 3 * registers)
            }
          },
        ]
      } + [
        // All that stands between an integer and the kernels as well, which valgrind can't decode.
        Operation("rsa2048 signature, AVX-512 IFMA", isWhole: true) { secret, _ in
          let key = rsaKeys[secret.number % rsaKeys.count]
          func sign() { consume(try? key.signature(for: [1, 2, 3], padding: .pkcs1v15, function: SHA2.SHA256.self)) }
          // The allocator's own ways depend on what was freed before: the same each time.
          for _ in 0..<3 { sign() }
          return sign
        }
      ]
    }

    /// Made once, before anything is recorded: a generation throws away as many candidates as it must.
    private static let rsaKeys = (0..<4).compactMap { _ in try? AnyRSAPrivateKey(bitCount: 2048) }

    /// Multiples of the base point by a secret scalar. What the table holds decides nothing.
    static var pointMultiples: [Operation] {
      guard Backend.available.contains(.avx512ifma) else { return [] }
      let byteCount = p256TableByteCountIFMA
      let table = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      for place in 0..<byteCount {
        table.storeBytes(of: UInt8(truncatingIfNeeded: 7 * place), toByteOffset: place, as: UInt8.self)
      }
      let room = UnsafeMutableRawPointer.allocate(byteCount: p256RoomByteCountIFMA, alignment: 64)
      return [
        Operation("p256 multiple of the base point, AVX-512 IFMA") { secret, memory in
          memory.reset(for: secret)
          return {
            p256BaseMultipleIFMA(
              result: memory.output.assumingMemoryBound(to: UInt64.self),
              bits: memory.input.assumingMemoryBound(to: UInt64.self), table: table, room: room)
          }
        },
        Operation("p256 signature, AVX-512 IFMA", isWhole: true) { secret, _ in
          let key = p256Keys[secret.number % p256Keys.count]
          func sign() { consume(key.signature(for: [1, 2, 3])) }
          for _ in 0..<3 { sign() }
          return sign
        },
      ]
    }

    private static let p256Keys = (0..<4).map { _ in P256PrivateKey() }

    /// Numbers whose digits have 52 bits, and a modulus of which no digit is anything else.
    private static func fill(_ memory: Memory, with secret: Secret, registers: Int, isPair: Bool) {
      memory.reset(for: secret)
      let byteCount = montgomeryModulusByteCountIFMA(registerCount: registers)
      memory.key.copyMemory(from: memory.input, byteCount: byteCount)
      for place in 0..<byteCount / 8 { clip(memory.key, place) }
      for place in 0..<256 { clip(memory.input, place) }
      montgomeryPrepareIFMA(modulus: memory.key, registerCount: registers, isPair: isPair)
    }

    private static func clip(_ memory: UnsafeMutableRawPointer, _ place: Int) {
      let word = memory.load(fromByteOffset: 8 * place, as: UInt64.self)
      memory.storeBytes(of: word & 0xf_ffff_ffff_ffff, toByteOffset: 8 * place, as: UInt64.self)
    }
  }
#endif
