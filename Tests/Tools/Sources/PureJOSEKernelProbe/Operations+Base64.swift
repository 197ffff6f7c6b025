#if HARDWARE_KERNELS && arch(x86_64)
  import PureCrypto
  import PureCryptoKernelsAVX512

  extension Operations {
    /// On both sides of a vector of octets and of characters, and several of them.
    static var base64: [Operation] {
      guard Backend.available.contains(.avx512) else { return [] }
      return [1, 31, 32, 47, 48, 49, 63, 64, 256, 1000].flatMap { count in
        [
          Operation("base64url encode, AVX-512, \(count) octets") { secret, memory in
            memory.reset(for: secret)
            return { base64EncodeVBMI(isForURLs: true, input: memory.input, output: memory.output, count: count) }
          },
          // Text that is legal, and text that is not in most of its places: the verdict leaves the kernel as a number.
          Operation("base64url decode, AVX-512, of \(count) octets") { secret, memory in
            memory.reset(for: secret)
            let characterCount = Base64Alphabet.encodedCount(count)
            if secret.number % 2 == 0 {
              base64EncodeVBMI(isForURLs: true, input: memory.input, output: memory.output, count: count)
              memory.input.copyMemory(from: memory.output, byteCount: characterCount)
            }
            return {
              _ = base64DecodeVBMI(
                isForURLs: true, input: memory.input, output: memory.output, count: characterCount)
            }
          },
        ]
      }
    }
  }
#endif
