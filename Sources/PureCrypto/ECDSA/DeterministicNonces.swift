/// The nonces k of RFC 6979: HMAC_DRBG over SHA-256, seeded with the private key and the digest.
///
/// Additional data makes them unpredictable as well (§3.6). Then a fault or a repeated digest doesn't repeat a nonce, and a
/// broken random number generator does no harm: the nonce is still as good as the deterministic one.
///
/// Timing: does not depend on key, digest or nonce, except for a rejected candidate (probability 2⁻³²), which is unrelated
/// to the one that is used.
/// Source: RFC 6979 §3.2, SP 800-90A §10.1.2.
struct DeterministicNonces: ~Copyable {
  /// HMAC with the key K.
  private var code: HMACSHA256
  /// V.
  private var value: SHA2.SHA256.Digest
  private var isFirst = true

  /// Steps b to g.
  /// - Parameter seed: int2octets(x) ‖ bits2octets(h1) ‖ k′: the private key, 32 bytes; the digest reduced mod n, 32 bytes;
  ///   additional data of any length.
  init(seed: UnsafeRawBufferPointer) {
    // b, c: V = 01 01 … 01, K = 00 00 … 00
    var code = DeterministicNonces.zeroKey
    code.update(DeterministicNonces.ones)
    code.update(CollectionOfOne(0x00))
    code.update(seed)
    // d: K = HMAC_K(V ‖ 00 ‖ int2octets(x) ‖ bits2octets(h1) ‖ k′)
    self.code = HMACSHA256(key: code.finalize())
    // e: V = HMAC_K(V)
    self.value = DeterministicNonces.authenticate(DeterministicNonces.ones, self.code)
    // f: K = HMAC_K(V ‖ 01 ‖ int2octets(x) ‖ bits2octets(h1) ‖ k′)
    code = self.code
    code.update(value)
    code.update(CollectionOfOne(0x01))
    code.update(seed)
    self.code = HMACSHA256(key: code.finalize())
    // g: V = HMAC_K(V)
    self.value = DeterministicNonces.authenticate(value, self.code)
    PureCrypto.erase(&code)
  }

  /// Step h: the next candidate that is between 1 and n − 1.
  ///
  /// The rejection is as dangerous here as in ``Scalar/random(drawing:)``: a candidate is used as it is, or not at all.
  mutating func next() -> UInt256 {
    while true {
      if !isFirst {
        // K = HMAC_K(V ‖ 00), V = HMAC_K(V)
        var code = code
        code.update(value)
        code.update(CollectionOfOne(0x00))
        self.code = HMACSHA256(key: code.finalize())
        PureCrypto.erase(&code)
        value = DeterministicNonces.authenticate(value, self.code)
      }
      isFirst = false
      // The digest is as long as n: one step gives all of T, and bits2int takes it whole.
      value = DeterministicNonces.authenticate(value, code)
      let candidate = value.withUnsafeBytes { bytes in
        bytes.baseAddress.map { UInt256(bigEndian: $0) } ?? .zero
      }
      if Scalar.isInRange(candidate).declassified { return candidate }
    }
  }

  /// Overwrites K and V.
  mutating func erase() {
    PureCrypto.erase(&code)
    wipe(&value)
  }

  private static func authenticate(_ value: some Collection<UInt8>, _ code: HMACSHA256) -> SHA2.SHA256.Digest {
    var code = code
    code.update(value)
    let digest = code.finalize()
    PureCrypto.erase(&code)
    return digest
  }

  /// HMAC with the key of 32 zeros, the same for every signature.
  private static let zeroKey = HMACSHA256(key: [UInt8](repeating: 0, count: 32))
  /// V at first.
  private static let ones = [UInt8](repeating: 1, count: 32)
}

/// Overwrites a code in progress, which holds what its key was hashed to. It is a value without references.
private func erase(_ code: inout HMACSHA256) {
  withUnsafeMutableBytes(of: &code) { wipe($0) }
}
