/// PBKDF2 with HMAC-SHA-1, the default of PKCS #5. For reading key files that say so, and for nothing else: HMAC
/// doesn't depend on what SHA-1 has lost, but new data should not use it.
///
/// Timing: depends on lengths and on the number of iterations only.
/// Source: RFC 8018 §5.2 and §B.1.1.
package enum PBKDF2SHA1 {
  /// Derives a key.
  /// - Parameter password: its octets. Secret.
  /// - Parameter iterationCount: at least 1, bounded by the caller.
  /// - Parameter byteCount: at least 1.
  /// - Throws: `.invalidKeyLength` if either number is out of range.
  package static func deriveKey(
    password: SecretBytes, salt: [UInt8], iterationCount: Int, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard byteCount > 0, byteCount <= 1 << 24, iterationCount > 0 else {
      throw CryptoError(.invalidKeyLength, "PBKDF2 needs at least one iteration and one byte")
    }
    return SecretBytes(count: byteCount) { key in
      withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { pads in
        defer { wipe(pads) }
        pads.initializeMemory(as: UInt8.self, repeating: 0)
        let inner = UnsafeMutableRawBufferPointer(rebasing: pads[..<64])
        let outer = UnsafeMutableRawBufferPointer(rebasing: pads[64...])
        password.withUnsafeBytes { password in
          if password.count > 64 {
            SHA1.hash(password, UnsafeRawBufferPointer(start: nil, count: 0), into: inner)
          } else {
            inner.copyMemory(from: password)
          }
        }
        for index in 0..<64 {
          outer[index] = inner[index] ^ 0x5c
          inner[index] ^= 0x36
        }
        var offset = 0
        var counter: UInt32 = 1
        while offset < byteCount {
          let block = UnsafeMutableRawBufferPointer(rebasing: key[offset..<min(offset &+ 20, byteCount)])
          sum(
            UnsafeRawBufferPointer(inner), UnsafeRawBufferPointer(outer), salt: salt, counter: counter,
            iterationCount: iterationCount, into: block)
          offset &+= 20
          counter &+= 1
        }
      }
    }
  }

  /// T = U(1) ⊕ U(2) ⊕ … ⊕ U(c), U(1) = HMAC(P, S ‖ counter), U(i) = HMAC(P, U(i − 1)).
  /// - Parameter inner: the key, filled up to a block, with the inner pad; `outer` likewise.
  /// - Parameter block: 20 bytes of the key, or what is left of them.
  private static func sum(
    _ inner: UnsafeRawBufferPointer, _ outer: UnsafeRawBufferPointer, salt: [UInt8], counter: UInt32,
    iterationCount: Int, into block: UnsafeMutableRawBufferPointer
  ) {
    var innerState = SHA1.initialState
    var outerState = SHA1.initialState
    SHA1.compress(&innerState, inner)
    SHA1.compress(&outerState, outer)
    // A digest, and what ends a message of one block and a digest: 80, zeros, and 672 bits.
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 4) { message in
      message.initializeMemory(as: UInt8.self, repeating: 0)
      let digest = UnsafeMutableRawBufferPointer(rebasing: message[..<20])
      let first = salt + withUnsafeBytes(of: counter.bigEndian, Array.init)
      first.withUnsafeBytes { SHA1.hash(inner, $0, into: digest) }
      SHA1.hash(outer, UnsafeRawBufferPointer(digest), into: digest)
      message[20] = 0x80
      message[62] = 0x02
      message[63] = 0xa0
      var u = SHA1.words(UnsafeRawBufferPointer(digest))
      var t = u
      for _ in 1..<iterationCount {
        u = innerState
        SHA1.compress(&u, UnsafeRawBufferPointer(message))
        SHA1.store(u, to: digest)
        u = outerState
        SHA1.compress(&u, UnsafeRawBufferPointer(message))
        SHA1.store(u, to: digest)
        t ^= u
      }
      SHA1.store(t, to: digest)
      block.copyMemory(from: UnsafeRawBufferPointer(rebasing: digest[..<block.count]))
      wipe(message)
      wipe(&u)
      wipe(&t)
    }
    wipe(&innerState)
    wipe(&outerState)
  }
}
