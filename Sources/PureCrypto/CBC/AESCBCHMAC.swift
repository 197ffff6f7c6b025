/// AES_CBC_HMAC_SHA2: AES-CBC for secrecy, then HMAC for authenticity, with one key of two halves.
///
/// The first half of the key authenticates, the second encrypts. The tag is the first half of the code over
/// `A ‖ IV ‖ E ‖ AL`, where AL is the length of A in bits as 64 bits, big-endian.
///
/// Timing: depends on lengths only; on opening also on whether the message is authentic.
/// Source: RFC 7518 §5.2.
package struct AESCBCHMAC: Sendable {
  private enum Code: Sendable {
    case sha256(HMACSHA256)
    case sha384(HMACSHA384)
    case sha512(HMACSHA512)
  }

  private let cipher: AESCBC
  private let code: Code

  /// The length of an initialization vector: 16 bytes.
  package static var initializationVectorByteCount: Int { 16 }

  /// The length of an authentication tag: half the key's.
  package let tagByteCount: Int

  /// Makes a key ready.
  /// - Parameter key: 32, 48 or 64 bytes: A128CBC-HS256, A192CBC-HS384 or A256CBC-HS512.
  /// - Throws: `.invalidKeyLength` for any other length.
  package init(key: SecretBytes, backend: Backend = .preferred) throws(CryptoError) {
    let half = key.count &>> 1
    tagByteCount = half
    (code, cipher) = try key.withUnsafeBytes { (key) throws(CryptoError) -> (Code, AESCBC) in
      guard key.count & 1 == 0 else { throw Self.invalidKeyLength }
      let authenticationKey = UnsafeRawBufferPointer(rebasing: key[..<half])
      let code: Code
      switch half {
      case 16: code = .sha256(HMACSHA256(anyKey: authenticationKey))
      case 24: code = .sha384(HMACSHA384(anyKey: authenticationKey))
      case 32: code = .sha512(HMACSHA512(anyKey: authenticationKey))
      default: throw Self.invalidKeyLength
      }
      return (code, try AESCBC(key: UnsafeRawBufferPointer(rebasing: key[half...]), backend: backend))
    }
  }

  private static var invalidKeyLength: CryptoError {
    CryptoError(.invalidKeyLength, "a key of AES_CBC_HMAC_SHA2 has 32, 48 or 64 bytes")
  }

  /// A ciphertext and its tag.
  package struct SealedBox: Sendable {
    package let ciphertext: [UInt8]
    package let authenticationTag: [UInt8]
  }

  /// Encrypts a message.
  /// - Parameter initializationVector: 16 unpredictable bytes.
  /// - Throws: `.invalidInitializationVectorLength`, `.lengthLimitExceeded`.
  package func seal(
    _ plaintext: some Collection<UInt8>, authenticating additionalAuthenticatedData: some Collection<UInt8>,
    initializationVector: [UInt8]
  ) throws(CryptoError) -> SealedBox {
    let vector = try AESCBC.block(initializationVector)
    guard plaintext.count < Int.max &- 32 else {
      throw CryptoError(.lengthLimitExceeded, "the plaintext is too long")
    }
    let padding = 16 &- plaintext.count & 15
    let count = plaintext.count &+ padding
    let ciphertext = [UInt8](unsafeUninitializedCapacity: count) { output, initializedCount in
      let output = UnsafeMutableRawBufferPointer(output)
      withContiguousBytes(plaintext) { output.copyMemory(from: $0) }
      for index in (count &- padding)..<count { output[index] = UInt8(truncatingIfNeeded: padding) }
      cipher.encrypt(UnsafeRawBufferPointer(output), to: output, initializationVector: vector)
      initializedCount = count
    }
    let tag = authenticationTag(additionalAuthenticatedData, initializationVector, ciphertext)
    return SealedBox(ciphertext: ciphertext, authenticationTag: tag)
  }

  /// Checks a message's tag, in full length, and only then decrypts.
  /// - Throws: `.authenticationFailed` for whatever is wrong with the message.
  package func open(
    ciphertext: [UInt8], authenticationTag tag: [UInt8], initializationVector: [UInt8],
    authenticating additionalAuthenticatedData: some Collection<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    let expected = authenticationTag(additionalAuthenticatedData, initializationVector, ciphertext)
    guard ConstantTime.equal(expected, tag), !ciphertext.isEmpty, ciphertext.count & 15 == 0,
      let vector = try? AESCBC.block(initializationVector)
    else { throw Self.authenticationFailed }
    var isPadded = Mask.no
    var plaintext = [UInt8](unsafeUninitializedCapacity: ciphertext.count) { output, initializedCount in
      let output = UnsafeMutableRawBufferPointer(output)
      ciphertext.withUnsafeBytes { cipher.decrypt($0, to: output, initializationVector: vector) }
      let padding = BlockPadding(lastBlockOf: UnsafeRawBufferPointer(output))
      isPadded = padding.isValid
      // A length of zero is as good as any for what will be refused. At most 16, of the last block.
      let paddingCount = declassified(padding.isValid.select(padding.count, 16), bitCount: 5)
      let count = ciphertext.count &- Int(truncatingIfNeeded: paddingCount)
      wipe(UnsafeMutableRawBufferPointer(rebasing: output[count...]))
      initializedCount = count
    }
    guard isPadded.declassified else {
      plaintext.withUnsafeMutableBytes { wipe($0) }
      throw Self.authenticationFailed
    }
    return plaintext
  }

  private static var authenticationFailed: CryptoError {
    CryptoError(.authenticationFailed, "the authentication tag does not belong to this message and key")
  }

  private func authenticationTag(
    _ additionalAuthenticatedData: some Collection<UInt8>, _ initializationVector: [UInt8], _ ciphertext: [UInt8]
  ) -> [UInt8] {
    switch code {
    case .sha256(let code): tag(code, additionalAuthenticatedData, initializationVector, ciphertext)
    case .sha384(let code): tag(code, additionalAuthenticatedData, initializationVector, ciphertext)
    case .sha512(let code): tag(code, additionalAuthenticatedData, initializationVector, ciphertext)
    }
  }

  private func tag<Function>(
    _ prepared: HMACSHA2<Function>, _ additionalAuthenticatedData: some Collection<UInt8>,
    _ initializationVector: [UInt8], _ ciphertext: [UInt8]
  ) -> [UInt8] {
    var code = prepared
    code.update(additionalAuthenticatedData)
    code.update(initializationVector)
    code.update(ciphertext)
    let bitCount = UInt64(truncatingIfNeeded: additionalAuthenticatedData.count) &<< 3
    withUnsafeBytes(of: bitCount.bigEndian) { code.update($0) }
    return Array(code.finalize().prefix(tagByteCount))
  }
}

/// The padding at the end of a decrypted message: n bytes of the value n, 1 to 16.
///
/// Timing: constant. It looks at all 16 bytes of the last block, whatever they are.
/// Source: RFC 5652 §6.3 (PKCS #7).
struct BlockPadding {
  /// The last byte.
  let count: UInt64
  /// Whether it is 1 to 16 and as many bytes have that value.
  let isValid: Mask

  /// - Parameter message: at least 16 bytes.
  init(lastBlockOf message: UnsafeRawBufferPointer) {
    let end = message.count
    let count = UInt64(message[end &- 1])
    var difference: UInt64 = 0
    for place in 0..<16 {
      let isPadding = Mask(UInt64(truncatingIfNeeded: place), isLessThan: count)
      difference |= isPadding.keep(UInt64(message[end &- 1 &- place]) ^ count)
    }
    self.count = count
    isValid = ~Mask(isZero: count) & Mask(count, isLessThan: 17) & Mask(isZero: difference)
  }
}

extension AESCBCHMAC: CustomStringConvertible {
  /// The name, never the key.
  package var description: String { "AESCBCHMAC(redacted)" }
}
