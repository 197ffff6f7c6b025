/// AES Key Wrap: a key that encrypts other keys and notices when one has been changed.
///
/// Timing: depends on the lengths of both keys only; ``unwrap(_:)`` also on whether the wrapped key is intact.
/// Source: RFC 3394 §2.2, NIST SP 800-38F §6.2 (KW).
package struct AESKeyWrap: Sendable {
  private let cipher: AESCBC

  /// A⁽⁰⁾, the integrity check register before wrapping (RFC 3394 §2.2.3.1).
  private static let initialValue: UInt64 = 0xa6a6_a6a6_a6a6_a6a6

  /// Makes a key-encryption key ready.
  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `.invalidKeyLength` for any other length.
  package init(key: SecretBytes, backend: Backend = .preferred) throws(CryptoError) {
    cipher = try key.withUnsafeBytes { (key) throws(CryptoError) in try AESCBC(key: key, backend: backend) }
  }

  /// Wraps a key.
  /// - Parameter key: 16 bytes to ``maximumByteCount``, a multiple of 8.
  /// - Returns: 8 bytes more than the key has.
  /// - Throws: `.invalidKeyLength` for any other length.
  package func wrap(_ key: SecretBytes) throws(CryptoError) -> [UInt8] {
    guard Self.canWrap(byteCount: key.count) else { throw Self.invalidLength }
    let n = key.count &>> 3
    return [UInt8](unsafeUninitializedCapacity: key.count &+ 8) { output, initializedCount in
      let registers = UnsafeMutableRawBufferPointer(output)
      key.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: registers[8...]).copyMemory(from: $0) }
      var a = Self.initialValue.bigEndian
      for j in 0..<6 {
        for i in 1...n {
          // B = AES(K, A | R[i]);  A = MSB(64, B) ⊕ t where t = nj + i;  R[i] = LSB(64, B)
          let b = encrypt(SIMD2(a, registers.loadUnaligned(fromByteOffset: 8 &* i, as: UInt64.self)))
          a = b[0] ^ UInt64(truncatingIfNeeded: n &* j &+ i).bigEndian
          registers.storeBytes(of: b[1], toByteOffset: 8 &* i, as: UInt64.self)
        }
      }
      registers.storeBytes(of: a, as: UInt64.self)
      initializedCount = key.count &+ 8
    }
  }

  /// Unwraps a key.
  /// - Throws: `.authenticationFailed` for a wrong length, another key or a changed one.
  package func unwrap(_ wrappedKey: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(wrappedKey) { (wrapped) throws(CryptoError) in
      guard Self.canWrap(byteCount: wrapped.count &- 8) else { throw Self.authenticationFailed }
      var isIntact = Mask.no
      let key = SecretBytes(count: wrapped.count &- 8) { isIntact = unwrap(wrapped, to: $0) }
      guard isIntact.declassified else { throw Self.authenticationFailed }
      return key
    }
  }

  /// Unwraps a key of a known length, or makes a random one if unwrapping fails, without saying which.
  ///
  /// A receiver that goes on with the random key fails at the authentication tag, as it does for any other forgery.
  /// Timing: depends on lengths only, not on whether the wrapped key is intact.
  /// Source: RFC 7516 §11.5.
  package func unwrapOrRandom(_ wrappedKey: some Collection<UInt8>, byteCount: Int) -> SecretBytes {
    withContiguousBytes(wrappedKey) { wrapped in
      // Lengths are public: everybody can count the text.
      guard Self.canWrap(byteCount: byteCount), wrapped.count &- 8 == byteCount else {
        return .random(count: byteCount)
      }
      var isIntact = Mask.no
      let unwrapped = SecretBytes(count: byteCount) { isIntact = unwrap(wrapped, to: $0) }
      return SecretBytes(count: byteCount) { key in
        SystemRandom.fill(key)
        unwrapped.withUnsafeBytes { unwrapped in
          for index in 0..<byteCount { key[index] = isIntact.select(unwrapped[index], key[index]) }
        }
      }
    }
  }

  /// - Parameter wrapped: 8 · (n + 1) bytes.
  /// - Parameter registers: room for R[1] … R[n].
  private func unwrap(_ wrapped: UnsafeRawBufferPointer, to registers: UnsafeMutableRawBufferPointer) -> Mask {
    let n = registers.count &>> 3
    registers.copyMemory(from: UnsafeRawBufferPointer(rebasing: wrapped[8..<(8 &* n &+ 8)]))
    var a = wrapped.loadUnaligned(as: UInt64.self)
    for j in stride(from: 5, through: 0, by: -1) {
      for i in stride(from: n, through: 1, by: -1) {
        // B = AES⁻¹(K, (A ⊕ t) | R[i]) where t = nj + i;  A = MSB(64, B);  R[i] = LSB(64, B)
        let t = UInt64(truncatingIfNeeded: n &* j &+ i).bigEndian
        let b = decrypt(SIMD2(a ^ t, registers.loadUnaligned(fromByteOffset: 8 &* (i &- 1), as: UInt64.self)))
        a = b[0]
        registers.storeBytes(of: b[1], toByteOffset: 8 &* (i &- 1), as: UInt64.self)
      }
    }
    return Mask(a.bigEndian, equals: Self.initialValue)
  }

  /// One block by itself is a chain of one link from zero.
  private func encrypt(_ block: SIMD2<UInt64>) -> SIMD2<UInt64> {
    var result = SIMD2<UInt64>.zero
    withUnsafeBytes(of: block) { input in
      withUnsafeMutableBytes(of: &result) { cipher.encrypt(input, to: $0, initializationVector: .zero) }
    }
    return result
  }

  private func decrypt(_ block: SIMD2<UInt64>) -> SIMD2<UInt64> {
    var result = SIMD2<UInt64>.zero
    withUnsafeBytes(of: block) { input in
      withUnsafeMutableBytes(of: &result) { cipher.decrypt(input, to: $0, initializationVector: .zero) }
    }
    return result
  }

  /// The longest key that is wrapped or unwrapped: 16 MiB. Keys are short; the bound keeps 6n far from any overflow of
  /// the counter.
  package static let maximumByteCount = 1 << 24

  /// Whether keys of this length are wrapped, and what wraps them unwrapped: one rule for both directions.
  private static func canWrap(byteCount: Int) -> Bool {
    byteCount >= 16 && byteCount & 7 == 0 && byteCount <= maximumByteCount
  }

  private static var invalidLength: CryptoError {
    CryptoError(.invalidKeyLength, "a key to wrap has 16 bytes to 16 MiB, and a multiple of 8")
  }

  private static var authenticationFailed: CryptoError {
    CryptoError(.authenticationFailed, "the wrapped key is not intact, or is wrapped under another key")
  }
}

extension AESKeyWrap: CustomStringConvertible {
  /// The name, never the key.
  package var description: String { "AESKeyWrap(redacted)" }
}
