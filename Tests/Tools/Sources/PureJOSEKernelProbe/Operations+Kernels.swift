#if HARDWARE_KERNELS && arch(x86_64)
  import PureCrypto
  import PureCryptoKernels
  import PureCryptoKernelsAVX512
  import PureCryptoKernelsVAES

  extension Operations {
    private static let hasAESNI = Backend.available.contains(.aesni)

    /// Galois counter mode in vectors of several blocks.
    private struct VectorGCM: Sendable {
      typealias Kernel =
        @Sendable (
          UnsafeRawPointer, Int, SIMD2<Int64>, UnsafeRawPointer, Int, UnsafeRawPointer, UnsafeMutableRawPointer, Int
        ) -> SIMD2<Int64>

      let level: String
      let keyByteCount: Int
      let prepare: @Sendable (Int, UnsafeMutableRawPointer) -> Void
      let seal: Kernel
      let open: Kernel
      let hash: @Sendable (UnsafeRawPointer, UnsafeRawPointer, Int, SIMD2<UInt64>) -> SIMD2<Int64>

      static let all =
        (Backend.available.contains(.avx2vaes)
          ? [
            VectorGCM(
              level: "VAES", keyByteCount: gcmKeyByteCountVAES256, prepare: gcmPrepareVAES256, seal: gcmSealVAES256,
              open: gcmOpenVAES256, hash: gcmHashVAES256)
          ] : [])
        + (Backend.available.contains(.avx512)
          ? [
            VectorGCM(
              level: "AVX-512", keyByteCount: gcmKeyByteCountVAES, prepare: gcmPrepareVAES, seal: gcmSealVAES,
              open: gcmOpenVAES, hash: gcmHashVAES)
          ] : [])
    }

    /// Numbers of 32-bit words in a key.
    private static let keyLengths = [8, 4, 6]

    /// On both sides of: a block, four blocks, eight, sixteen, and of 2048 octets; whole and partial ones.
    private static let messageLengths = [0, 1, 15, 16, 17, 64, 65, 127, 128, 255, 256, 1024, 1025, 2303, 2304]

    private static func isLong(_ keyWordCount: Int, _ count: Int) -> Bool {
      keyWordCount != 8 || [65, 255, 1025, 2303].contains(count)
    }

    static var keySchedules: [Operation] {
      guard hasAESNI else { return [] }
      return keyLengths.flatMap { words in
        [
          Operation("aes\(words * 32) key schedule, AES-NI") { secret, memory in
            memory.reset(for: secret)
            return { aesExpandKey(key: memory.input, keyWordCount: words, roundKeys: memory.key) }
          },
          Operation("aes\(words * 32)cbc key, AES-NI") { secret, memory in
            memory.reset(for: secret)
            return { cbcPrepare(key: memory.input, keyWordCount: words, memory: memory.key) }
          },
          Operation("aes\(words * 32)gcm key, AES-NI") { secret, memory in
            memory.reset(for: secret)
            return { gcmPrepare(key: memory.input, keyWordCount: words, memory: memory.key) }
          },
        ]
          + VectorGCM.all.map { gcm in
            Operation("aes\(words * 32)gcm key, \(gcm.level)") { secret, memory in
              memory.reset(for: secret)
              aesExpandKey(key: memory.input, keyWordCount: words, roundKeys: memory.key)
              return { gcm.prepare(words + 6, memory.key) }
            }
          }
      }
    }

    static var blockChaining: [Operation] {
      guard hasAESNI else { return [] }
      return keyLengths.flatMap { words in
        [0, 1, 4, 7, 16].flatMap { blockCount in
          [
            Operation("aes\(words * 32)cbc encrypt, AES-NI, \(blockCount) blocks", isLong: words != 8) {
              secret, memory in
              memory.reset(for: secret)
              cbcPrepare(key: memory.input, keyWordCount: words, memory: memory.key)
              let vector = secret.counterBlock
              return {
                cbcEncrypt(
                  key: memory.key, roundCount: words + 6, initializationVector: vector, input: memory.input,
                  output: memory.output, blockCount: blockCount)
              }
            },
            Operation("aes\(words * 32)cbc decrypt, AES-NI, \(blockCount) blocks", isLong: words != 8) {
              secret, memory in
              memory.reset(for: secret)
              cbcPrepare(key: memory.input, keyWordCount: words, memory: memory.key)
              let vector = secret.counterBlock
              return {
                cbcDecrypt(
                  key: memory.key, roundCount: words + 6, initializationVector: vector, input: memory.input,
                  output: memory.output, blockCount: blockCount)
              }
            },
          ]
        }
      }
    }

    static var galoisCounterMode: [Operation] {
      keyLengths.flatMap { words in
        messageLengths.flatMap { count in
          (hasAESNI ? aesni(words, count) : []) + VectorGCM.all.flatMap { vectors($0, words, count) }
        }
      } + (hasAESNI ? hashesWithAESNI : []) + VectorGCM.all.flatMap(hashes)
    }

    /// Lengths of authenticated data that go with those of messages.
    private static func dataCount(_ count: Int) -> Int { count % 3 == 0 ? 0 : count % 300 + 13 }

    private static func aesni(_ words: Int, _ count: Int) -> [Operation] {
      let data = dataCount(count)
      return [
        Operation("aes\(words * 32)gcm seal, AES-NI, \(count) octets", isLong: isLong(words, count)) { secret, memory in
          prepareAESNI(secret, memory, words)
          let counterBlock = secret.counterBlock
          return {
            consume(
              gcmSeal(
                key: memory.key, roundCount: words + 6, counterBlock: counterBlock, data: memory.input,
                dataCount: data, input: memory.input, output: memory.output, count: count))
          }
        },
        Operation("aes\(words * 32)gcm open, AES-NI, \(count) octets", isLong: isLong(words, count)) { secret, memory in
          prepareAESNI(secret, memory, words)
          let counterBlock = secret.counterBlock
          return {
            consume(
              gcmOpen(
                key: memory.key, roundCount: words + 6, counterBlock: counterBlock, data: memory.input,
                dataCount: data, input: memory.input, output: memory.output, count: count))
          }
        },
      ]
    }

    private static func vectors(_ gcm: VectorGCM, _ words: Int, _ count: Int) -> [Operation] {
      let data = dataCount(count)
      return [
        Operation("aes\(words * 32)gcm seal, \(gcm.level), \(count) octets", isLong: isLong(words, count)) {
          secret, memory in
          prepare(gcm, secret, memory, words)
          let counterBlock = secret.counterBlock
          return {
            consume(
              gcm.seal(memory.key, words + 6, counterBlock, memory.input, data, memory.input, memory.output, count))
          }
        },
        Operation("aes\(words * 32)gcm open, \(gcm.level), \(count) octets", isLong: isLong(words, count)) {
          secret, memory in
          prepare(gcm, secret, memory, words)
          let counterBlock = secret.counterBlock
          return {
            consume(
              gcm.open(memory.key, words + 6, counterBlock, memory.input, data, memory.input, memory.output, count))
          }
        },
      ]
    }

    private static let hashedLengths = [1, 16, 100, 300]

    private static var hashesWithAESNI: [Operation] {
      hashedLengths.map { count in
        Operation("ghash, AES-NI, \(count) octets") { secret, memory in
          prepareAESNI(secret, memory, 8)
          return { consume(gcmHash(key: memory.key, bytes: memory.input, count: count, lengths: SIMD2(0, 8))) }
        }
      }
    }

    private static func hashes(_ gcm: VectorGCM) -> [Operation] {
      hashedLengths.map { count in
        Operation("ghash, \(gcm.level), \(count) octets") { secret, memory in
          prepare(gcm, secret, memory, 8)
          return { consume(gcm.hash(memory.key, memory.input, count, SIMD2(0, 8))) }
        }
      }
    }

    private static func prepareAESNI(_ secret: Secret, _ memory: Memory, _ words: Int) {
      memory.reset(for: secret)
      gcmPrepare(key: memory.input, keyWordCount: words, memory: memory.key)
      replaceHashSubkey(secret, memory, byteCount: gcmKeyByteCount)
    }

    private static func prepare(_ gcm: VectorGCM, _ secret: Secret, _ memory: Memory, _ words: Int) {
      memory.reset(for: secret)
      aesExpandKey(key: memory.input, keyWordCount: words, roundKeys: memory.key)
      gcm.prepare(words + 6, memory.key)
      replaceHashSubkey(secret, memory, byteCount: gcm.keyByteCount)
    }

    /// The powers of H stand behind 256 octets of round keys. No key leads to H = 0, but the kernels don't know that.
    private static func replaceHashSubkey(_ secret: Secret, _ memory: Memory, byteCount: Int) {
      guard secret.replacesHashSubkey else { return }
      (memory.key + 256).copyMemory(from: secret.octets(count: byteCount - 256), byteCount: byteCount - 256)
    }

    static var hash: [Operation] {
      guard Backend.aesni.hasSHA256Instructions else { return [] }
      return [0, 1, 2, 5].map { count in
        Operation("sha256 compress, SHA-NI, \(count) blocks") { secret, memory in
          memory.reset(for: secret)
          memory.output.copyMemory(from: secret.octets(count: 32), byteCount: 32)
          return {
            sha256Compress(
              state: memory.output.assumingMemoryBound(to: UInt32.self), blocks: memory.input, count: count)
          }
        }
      }
    }

    /// Calls of the library that valgrind sees on slower backends only.
    static var wholeCalls: [Operation] {
      guard Backend.preferred.hasSHA256Instructions else { return [] }
      return [
        Operation("hmac-sha256 key") { secret, _ in
          let key = secret.octets(count: 32)
          return { consume(HMACSHA256(anyKey: key)) }
        },
        Operation("hmac-sha256 of 100 octets") { secret, memory in
          memory.reset(for: secret)
          let prepared = HMACSHA256(anyKey: secret.octets(count: 32))
          return {
            var hmac = prepared
            hmac.update(UnsafeRawBufferPointer(start: memory.input, count: 100))
            consume(hmac.finalize())
          }
        },
      ]
    }
  }
#endif
