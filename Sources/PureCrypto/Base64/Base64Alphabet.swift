#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX2
  internal import PureCryptoKernelsAVX512
#endif

/// A base64 alphabet: the standard one, or that of URLs, which differ in the last two characters.
///
/// No tables in memory and no branches on a character, because private keys pass here in JWK and PEM.
package struct Base64Alphabet: Sendable {
  /// The character of 62.
  let symbol62: UInt8
  /// The character of 63.
  let symbol63: UInt8

  /// `+` and `/`.
  /// Source: RFC 4648 §4.
  package static let standard = Base64Alphabet(symbol62: 0x2B, symbol63: 0x2F)

  /// `-` and `_`.
  /// Source: RFC 4648 §5.
  package static let url = Base64Alphabet(symbol62: 0x2D, symbol63: 0x5F)

  private var isForURLs: Bool { symbol62 == 0x2D }

  /// Octets in `characterCount` unpadded characters, or nil if no octets have that many.
  package static func decodedCount(_ characterCount: Int) -> Int? {
    switch characterCount & 3 {
    case 0: characterCount / 4 * 3
    case 2: characterCount / 4 * 3 + 1
    case 3: characterCount / 4 * 3 + 2
    default: nil
    }
  }

  /// Characters for `byteCount` octets, without padding.
  package static func encodedCount(_ byteCount: Int) -> Int {
    byteCount / 3 * 4 + (byteCount % 3 == 0 ? 0 : byteCount % 3 + 1)
  }

  /// Decodes unpadded text into `output`, which has room for `decodedCount(text.count)` octets. False if a character is
  /// foreign, an unused bit is set, no number of octets has this many characters, or the room is too small.
  ///
  /// Timing: depends on lengths only.
  package func decode(
    _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, backend: Backend = .preferred
  ) -> Bool {
    guard let count = Base64Alphabet.decodedCount(text.count), output.count >= count else { return false }
    return Mask(isZero: decodeUnchecked(text, into: output, backend)).declassified
  }

  @inline(__always)
  private func decodeUnchecked(
    _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ backend: Backend
  ) -> UInt64 {
    #if HARDWARE_KERNELS && arch(x86_64)
      if backend.hasAVX512, let input = text.baseAddress, let output = output.baseAddress {
        return base64DecodeVBMI(isForURLs: isForURLs, input: input, output: output, count: text.count)
      }
      if backend.hasAVX2, let input = text.baseAddress, let start = output.baseAddress {
        var wrong: UInt64 = 0
        let count = base64DecodeAVX2(
          isForURLs: isForURLs, input: input, output: start, count: text.count, wrong: &wrong)
        return wrong
          | decodeByVectors(
            UnsafeRawBufferPointer(rebasing: text[count...]),
            into: UnsafeMutableRawBufferPointer(rebasing: output[(count / 4 &* 3)...]))
      }
    #endif
    return decodeByVectors(text, into: output)
  }

  /// Encodes `bytes` without padding into `output`, which has room for `encodedCount(bytes.count)` characters.
  ///
  /// Timing: depends on lengths only.
  package func encode(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>, backend: Backend = .preferred
  ) {
    guard output.count >= Base64Alphabet.encodedCount(bytes.count) else { return }
    #if HARDWARE_KERNELS && arch(x86_64)
      if backend.hasAVX512, let input = bytes.baseAddress, let output = output.baseAddress {
        return base64EncodeVBMI(isForURLs: isForURLs, input: input, output: output, count: bytes.count)
      }
      if backend.hasAVX2, let input = bytes.baseAddress, let start = output.baseAddress {
        let count = base64EncodeAVX2(isForURLs: isForURLs, input: input, output: start, count: bytes.count)
        return encodeByVectors(
          UnsafeRawBufferPointer(rebasing: bytes[count...]),
          into: UnsafeMutableRawBufferPointer(
            UnsafeMutableBufferPointer(rebasing: output[(count / 3 &* 4)...])))
      }
    #endif
    encodeByVectors(bytes, into: UnsafeMutableRawBufferPointer(output))
  }
}
