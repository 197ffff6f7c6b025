/// What two keys for agreement have in common: the shared secret Z of elliptic curve Diffie-Hellman, or K of X25519.
///
/// It is not a key: its bits are not uniform, and two protocols that took it as it is would share one. Keys are derived
/// from it, each for a purpose that its `info` names. It has no bytes to read, stays in storage that is wiped with its
/// last owner, and prints as redacted.
///
/// Source: NIST SP 800-56A §5.8, RFC 7748 §6.1.
public struct SharedSecret: Sendable {
  private let octets: SecretBytes

  /// Takes Z.
  package init(_ octets: SecretBytes) {
    self.octets = octets
  }

  /// Derives a key with HKDF: extracts with the salt, then expands.
  /// - Parameter function: the hash function, for instance `SHA2.SHA256.self`.
  /// - Parameter salt: not secret, may be empty.
  /// - Parameter info: what the key is for, and who agreed: both public keys at least. Public.
  /// - Parameter byteCount: 1 to 255 times the length of the digest.
  /// - Throws: `.invalidKeyLength` for any other length.
  ///
  /// Timing: depends on the lengths only.
  /// Source: RFC 5869, NIST SP 800-56C.
  public func hkdfDerivedKey<Function: SHA2Function>(
    _ function: Function.Type, salt: some Collection<UInt8>, info: some Collection<UInt8>, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    try HKDFSHA2<Function>.deriveKey(inputKeyMaterial: octets, salt: salt, info: info, byteCount: byteCount)
  }

  /// Derives a key with the single-step function of NIST SP 800-56A over SHA-256, which JOSE calls Concat KDF.
  /// - Parameter otherInfo: AlgorithmID ‖ PartyUInfo ‖ PartyVInfo ‖ SuppPubInfo ‖ SuppPrivInfo, as RFC 7518
  ///   §4.6.2 lays them out. Public.
  /// - Parameter bitCount: the length of the key in bits, a positive multiple of 8.
  /// - Throws: `.invalidKeyLength` for any other length, or one beyond the function's limit.
  ///
  /// Timing: depends on the lengths only.
  /// Source: NIST SP 800-56A Rev. 2 §5.8.1.1 with H = SHA-256, RFC 7518 §4.6.2.
  @inlinable
  public func concatKDFDerivedKey(
    otherInfo: some Collection<UInt8>, bitCount: Int
  ) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(otherInfo) { info throws(CryptoError) in
      try concatKDFDerivedKey(otherInfo: info, bitCount: bitCount)
    }
  }

  @usableFromInline
  func concatKDFDerivedKey(otherInfo: UnsafeRawBufferPointer, bitCount: Int) throws(CryptoError) -> SecretBytes {
    try ConcatKDF.deriveKey(SHA2.SHA256.self, sharedSecret: self, otherInfo: otherInfo, bitCount: bitCount)
  }

  /// Whether Z is these octets, for protocols whose one side hands Z itself to the other, encrypted.
  ///
  /// Timing: depends on the lengths only.
  public func isSame(as octets: SecretBytes) -> Bool {
    withUnsafeBytes { own in octets.withUnsafeBytes { ConstantTime.equal(own, $0) } }
  }

  /// Calls `body` with Z, as long as the curve's field: most significant byte first, of X25519 least significant first.
  /// For the protocols of this package that send Z, and for vectors.
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try octets.withUnsafeBytes(body)
  }
}

extension SharedSecret: Redacted {}
