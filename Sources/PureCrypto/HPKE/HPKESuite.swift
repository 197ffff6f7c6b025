extension HPKE {
  /// The algorithms that sender and recipient have agreed on.
  ///
  /// They are those of JOSE. Other combinations serve vectors.
  public struct Ciphersuite: Hashable, Sendable {
    package let kem: KEM
    package let kdf: KDF
    package let aead: AEAD

    /// Combines algorithms. For vectors.
    package init(kem: KEM, kdf: KDF, aead: AEAD) {
      (self.kem, self.kdf, self.aead) = (kem, kdf, aead)
    }

    /// HPKE-0 of JOSE: P-256, SHA-256, AES-128-GCM.
    public static let p256SHA256AES128GCM = Ciphersuite(kem: .p256, kdf: .hkdfSHA256, aead: .aes128GCM)
    /// HPKE-1 of JOSE: P-384, SHA-384, AES-256-GCM.
    public static let p384SHA384AES256GCM = Ciphersuite(kem: .p384, kdf: .hkdfSHA384, aead: .aes256GCM)
    /// HPKE-2 of JOSE: P-521, SHA-512, AES-256-GCM.
    public static let p521SHA512AES256GCM = Ciphersuite(kem: .p521, kdf: .hkdfSHA512, aead: .aes256GCM)
    /// HPKE-3 of JOSE: X25519, SHA-256, AES-128-GCM.
    public static let x25519SHA256AES128GCM = Ciphersuite(kem: .x25519, kdf: .hkdfSHA256, aead: .aes128GCM)
    /// HPKE-4 of JOSE: X25519, SHA-256, ChaCha20-Poly1305.
    public static let x25519SHA256ChaChaPoly = Ciphersuite(kem: .x25519, kdf: .hkdfSHA256, aead: .chaCha20Poly1305)
    /// HPKE-7 of JOSE: P-256, SHA-256, AES-256-GCM.
    public static let p256SHA256AES256GCM = Ciphersuite(kem: .p256, kdf: .hkdfSHA256, aead: .aes256GCM)

    /// HPKE-8 of JOSE: ML-KEM-768 with P-256, SHAKE256, AES-256-GCM.
    ///
    /// Source: draft-ietf-jose-hpke-pq-pqt-01, which may change.
    public static let mlKEM768P256SHAKE256AES256GCM = Ciphersuite(
      kem: .lattice(.mlKEM768P256), kdf: .shake256, aead: .aes256GCM)
    /// HPKE-9 of JOSE: ML-KEM-768 with X25519, SHAKE256, AES-256-GCM.
    ///
    /// Source: draft-ietf-jose-hpke-pq-pqt-01, which may change.
    public static let mlKEM768X25519SHAKE256AES256GCM = Ciphersuite(
      kem: .lattice(.mlKEM768X25519), kdf: .shake256, aead: .aes256GCM)
    /// HPKE-10 of JOSE: ML-KEM-1024 with P-384, SHAKE256, AES-256-GCM.
    ///
    /// Source: draft-ietf-jose-hpke-pq-pqt-01, which may change.
    public static let mlKEM1024P384SHAKE256AES256GCM = Ciphersuite(
      kem: .lattice(.mlKEM1024P384), kdf: .shake256, aead: .aes256GCM)
    /// HPKE-12 of JOSE: ML-KEM-768, SHAKE256, AES-256-GCM.
    ///
    /// Source: draft-ietf-jose-hpke-pq-pqt-01, which may change.
    public static let mlKEM768SHAKE256AES256GCM = Ciphersuite(
      kem: .lattice(.mlKEM768), kdf: .shake256, aead: .aes256GCM)
    /// HPKE-13 of JOSE: ML-KEM-1024, SHAKE256, AES-256-GCM.
    ///
    /// Source: draft-ietf-jose-hpke-pq-pqt-01, which may change.
    public static let mlKEM1024SHAKE256AES256GCM = Ciphersuite(
      kem: .lattice(.mlKEM1024), kdf: .shake256, aead: .aes256GCM)
  }
}
