/// The single-step key derivation function of NIST SP 800-56A, which JOSE calls Concat KDF.
public enum ConcatKDF {
  /// Derives a key from the shared secret Z with SHA-256.
  /// - Parameter sharedSecret: Z; for P-256 the 32 octets of the x-coordinate, big-endian.
  /// - Parameter otherInfo: AlgorithmID ‖ PartyUInfo ‖ PartyVInfo ‖ SuppPubInfo ‖ SuppPrivInfo, as RFC 7518 §4.6.2 lays
  ///   them out. Public.
  /// - Parameter bitCount: the length of the key in bits, a positive multiple of 8.
  /// - Throws: `.invalidKeyLength` for any other length, or one beyond the function's limit.
  ///
  /// Timing: depends on the lengths only.
  /// Source: NIST SP 800-56A Rev. 2 §5.8.1.1 with H = SHA-256, RFC 7518 §4.6.2.
  @inlinable
  public static func deriveKey(
    sharedSecret: SecretBytes, otherInfo: some Collection<UInt8>, bitCount: Int
  ) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(otherInfo) { (info) throws(CryptoError) in
      try deriveKey(SHA2.SHA256.self, sharedSecret: sharedSecret, otherInfo: info, bitCount: bitCount)
    }
  }

  /// Derives a key from the shared secret Z with any function of the SHA-2 family.
  /// - Throws: `.invalidKeyLength` unless `bitCount` is a positive multiple of 8 within the function's limit.
  ///
  /// Timing: depends on the lengths only.
  @_specialize(where Function == SHA2.SHA256)
  @usableFromInline
  package static func deriveKey<Function: SHA2Function>(
    _: Function.Type, sharedSecret: SecretBytes, otherInfo: UnsafeRawBufferPointer, bitCount: Int
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
      // K(i) = H(counter ‖ Z ‖ OtherInfo), counter = 1, 2, …; the key is the leading bytes of K(1) ‖ K(2) ‖ …
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
