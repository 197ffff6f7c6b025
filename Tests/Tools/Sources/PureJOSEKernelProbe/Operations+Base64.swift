#if HARDWARE_KERNELS && arch(x86_64)
  import PureCrypto
  import PureCryptoKernelsAVX2
  import PureCryptoKernelsAVX512

  extension Operations {
    /// On both sides of a vector of octets and of characters, of 256 bits and of 512, and several of them.
    static var base64: [Operation] {
      let avx2 =
        Backend.available.contains(.avx2)
        ? [1, 27, 28, 32, 33, 51, 52, 56, 57, 256, 1000].flatMap {
          base64(
            octetCount: $0, level: "AVX2",
            encode: { _ = base64EncodeAVX2(isForURLs: true, input: $0, output: $1, count: $2) },
            decode: {
              var wrong: UInt64 = 0
              _ = base64DecodeAVX2(isForURLs: true, input: $0, output: $1, count: $2, wrong: &wrong)
            })
        } : []
      let avx512 =
        Backend.available.contains(.avx512)
        ? [1, 31, 32, 47, 48, 49, 63, 64, 256, 1000].flatMap {
          base64(
            octetCount: $0, level: "AVX-512",
            encode: { base64EncodeVBMI(isForURLs: true, input: $0, output: $1, count: $2) },
            decode: { _ = base64DecodeVBMI(isForURLs: true, input: $0, output: $1, count: $2) })
        } : []
      return avx2 + avx512
    }

    private typealias Kernel = (UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> Void

    private static func base64(
      octetCount count: Int, level: String, encode: @escaping Kernel, decode: @escaping Kernel
    ) -> [Operation] {
      [
        Operation("base64url encode, \(level), \(count) octets") { secret, memory in
          memory.reset(for: secret)
          return { encode(memory.input, memory.output, count) }
        },
        // Text that is legal, and text that is not in most of its places: the verdict leaves the kernel as a number.
        Operation("base64url decode, \(level), of \(count) octets") { secret, memory in
          memory.reset(for: secret)
          let characterCount = Base64Alphabet.encodedCount(count)
          if secret.number % 2 == 0 {
            encode(memory.input, memory.output, count)
            memory.input.copyMemory(from: memory.output, byteCount: characterCount)
          }
          return { decode(memory.input, memory.output, characterCount) }
        },
      ]
    }
  }
#endif
