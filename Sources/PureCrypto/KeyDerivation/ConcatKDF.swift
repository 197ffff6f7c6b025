/// The single-step key derivation function of NIST SP 800-56A, which JOSE calls Concat KDF. Users reach it from a
/// ``SharedSecret``.
package enum ConcatKDF {
  /// Derives a key from the shared secret Z with any function of the SHA-2 family.
  /// - Throws: `.invalidKeyLength` unless `bitCount` is a positive multiple of 8 within the function's limit.
  ///
  /// Timing: depends on the lengths only.
  /// Source: NIST SP 800-56A Rev. 2 §5.8.1.1.
  @_specialize(where Function == SHA2.SHA256)
  package static func deriveKey<Function: SHA2Function>(
    _: Function.Type, sharedSecret: SharedSecret, otherInfo: UnsafeRawBufferPointer, bitCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard bitCount > 0, bitCount & 7 == 0 else {
      throw CryptoError(.invalidKeyLength, "the length of a derived key is a positive multiple of 8 bits")
    }
    let byteCount = bitCount &>> 3
    // The counter has 32 bits, so there are at most 2³² − 1 repetitions.
    guard UInt64(byteCount) <= UInt64(Function.digestByteCount) &* 0xffff_ffff else {
      throw CryptoError(.invalidKeyLength, "the derived key is longer than its hash function allows")
    }
    return SecretBytes(count: byteCount) { key in
      // K(i) = H(counter ‖ Z ‖ OtherInfo), counter = 1, 2, …; the key is the leading bytes of
      // K(1) ‖ K(2) ‖ …
      var counter: UInt32 = 1
      var offset = 0
      while offset < byteCount {
        var hash = Function()
        withUnsafeBytes(of: counter.bigEndian) { hash.update($0) }
        sharedSecret.withUnsafeBytes { hash.update($0) }
        hash.update(otherInfo)
        var digest = hash.finalize()
        let count = min(Function.digestByteCount, byteCount &- offset)
        withUnsafeMutableBytes(of: &digest) { bytes in
          UnsafeMutableRawBufferPointer(rebasing: key[offset...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
          wipe(bytes)
        }
        wipe(&hash)
        offset &+= count
        counter &+= 1
      }
    }
  }
}
