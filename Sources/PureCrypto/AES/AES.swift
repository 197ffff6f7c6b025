/// The AES block cipher by itself: a key made ready, and runs of independent blocks.
///
/// Not a way to encrypt messages: the modes of operation stand on it. The round keys are wiped when the last copy goes.
///
/// Timing: depends on the length of the key and on the number of blocks.
/// Source: FIPS 197.
package struct AES: Sendable {
  // Read only once made: see SecretStorage on sharing between threads.
  private nonisolated(unsafe) let roundKeys: SecretStorage
  private let variant: AESVariant

  /// Makes a key ready.
  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `.invalidKeyLength` for any other length.
  package init(key: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(key) { (bytes) throws(CryptoError) in try AES(key: bytes) }
  }

  /// Makes a key ready.
  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `.invalidKeyLength` for any other length.
  package init(key: SecretBytes) throws(CryptoError) {
    self = try key.withUnsafeBytes { (bytes) throws(CryptoError) in try AES(key: bytes) }
  }

  private init(key: UnsafeRawBufferPointer) throws(CryptoError) {
    let variant = try AESVariant(keyByteCount: key.count)
    self.variant = variant
    self.roundKeys = SecretStorage.make(byteCount: BitslicedAES.maximumByteCount) { memory in
      guard let memory = memory.baseAddress, let key = key.baseAddress else { return }
      BitslicedAES.expand(key: key, variant: variant, into: memory)
    }
  }

  /// Encrypts whole blocks, each by itself.
  /// - Parameter blocks: a multiple of 16 bytes.
  /// - Throws: `.invalidBlockLength` for any other length.
  package func encryptBlocks(_ blocks: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
    try map(blocks) { cipher, state in cipher.encrypt(&state) }
  }

  /// Decrypts whole blocks, each by itself.
  /// - Parameter blocks: a multiple of 16 bytes.
  /// - Throws: `.invalidBlockLength` for any other length.
  package func decryptBlocks(_ blocks: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
    try map(blocks) { cipher, state in cipher.decrypt(&state) }
  }

  @inline(__always)
  private func map(
    _ blocks: some Collection<UInt8>, _ transform: (BitslicedAES, inout ByteSlices<BlockSlice>) -> Void
  ) throws(CryptoError) -> [UInt8] {
    var result = [UInt8](blocks)
    guard result.count & 15 == 0 else {
      throw CryptoError(.invalidBlockLength, "the input is not made of blocks of 16 bytes")
    }
    roundKeys.withBytes { memory in
      guard let memory = memory.baseAddress else { return }
      let cipher = BitslicedAES(roundKeys: memory, variant: variant)
      result.withUnsafeMutableBytes { bytes in
        var offset = 0
        while offset < bytes.count {
          let chunk = UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<min(offset &+ 128, bytes.count)])
          var state = ByteSlices(rowsOf: UnsafeRawBufferPointer(chunk))
          transform(cipher, &state)
          state.storeRows(to: chunk)
          offset &+= 128
        }
      }
    }
    return result
  }
}

extension AES: CustomStringConvertible {
  /// The variant, never the key.
  package var description: String { "AES(\(variant), redacted)" }
}
