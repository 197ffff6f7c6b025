/// PBKDF2: a key from a password, made slow by repetition.
///
/// Timing: depends on lengths and on the number of iterations only.
/// Source: RFC 8018 §5.2, with HMAC as the pseudorandom function.
public enum PBKDF2<Function: SHA2Function> {
  /// Derives a key.
  /// - Parameter password: its octets. Secret.
  /// - Parameter salt: public.
  /// - Parameter iterationCount: at least 1. The caller bounds it: each costs two compressions per digest of output.
  /// - Parameter byteCount: at least 1.
  /// - Throws: `.invalidKeyLength` if either number is out of range.
  public static func deriveKey(
    password: SecretBytes, salt: some Collection<UInt8>, iterationCount: Int, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    // The block counter has 32 bits; keys are much shorter.
    guard byteCount > 0, byteCount <= 1 << 24, iterationCount > 0 else {
      throw CryptoError(.invalidKeyLength, "PBKDF2 needs at least one iteration and one byte")
    }
    let prepared = HMACSHA2<Function>(anyKey: password)
    return SecretBytes(count: byteCount) { key in
      var offset = 0
      var counter: UInt32 = 1
      while offset < byteCount {
        // T = U(1) ⊕ U(2) ⊕ … ⊕ U(c), U(1) = HMAC(P, S ‖ counter), U(i) = HMAC(P, U(i − 1))
        var code = prepared
        code.update(salt)
        withUnsafeBytes(of: counter.bigEndian) { code.update($0) }
        let u = code.finalize()
        let count = min(Function.digestByteCount, byteCount &- offset)
        sum(from: u, repetitions: iterationCount &- 1, with: prepared) { t in
          UnsafeMutableRawBufferPointer(rebasing: key[offset...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: t[..<count]))
        }
        offset &+= count
        counter &+= 1
      }
    }
  }

  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  private static func sum(
    from first: Function.Digest, repetitions: Int, with prepared: HMACSHA2<Function>,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var u = first
    // A digest has 64 bytes at most.
    var t = (SIMD4<UInt64>.zero, SIMD4<UInt64>.zero)
    withUnsafeMutableBytes(of: &t) { t in
      u.withUnsafeBytes { t.copyMemory(from: $0) }
      for _ in 0..<repetitions {
        var code = prepared
        u.withBytes { $0.withUnsafeBytes { code.update($0) } }
        u = code.finalize()
        u.withBytes { u in
          u.withUnsafeBytes { u in
            for offset in stride(from: 0, to: Function.digestByteCount, by: 8) {
              let summand = u.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
              let word = t.load(fromByteOffset: offset, as: UInt64.self) ^ summand
              t.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            }
          }
        }
      }
      body(UnsafeRawBufferPointer(rebasing: t[..<Function.digestByteCount]))
      wipe(t)
    }
    wipe(&u)
  }
}
