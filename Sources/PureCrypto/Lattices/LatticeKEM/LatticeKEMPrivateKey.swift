/// A private key of a KEM with ML-KEM in it: a seed.
///
/// Seed and expanded keys stay in storage that is wiped when the last copy of the value goes.
package struct LatticeKEMPrivateKey: Sendable {
  /// The form in which the key is kept: 32 bytes, or 64 of ML-KEM alone.
  package let seed: SecretBytes

  /// The public key, which the seed determines.
  package let publicKey: LatticeKEMPublicKey

  private let lattice: MLKEMPrivateKey
  private let curve: HybridCurveKey?

  package var kem: LatticeKEM { publicKey.kem }

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: depends on the public key only.
  package init(_ kem: LatticeKEM) {
    while true {
      // That a seed gives no key does not happen by chance; another one does.
      if let key = try? LatticeKEMPrivateKey(kem, seed: .random(count: kem.seedByteCount)) {
        self = key
        return
      }
    }
  }

  /// Expands a seed.
  /// - Throws: `.invalidPrivateKey` when it has another length than the KEM says, and when no private key of the curve
  ///   comes of it, which does not happen by chance.
  ///
  /// Timing: depends on the public key only.
  package init(_ kem: LatticeKEM, seed: SecretBytes) throws(CryptoError) {
    guard seed.count == kem.seedByteCount else {
      throw CryptoError(.invalidPrivateKey, "the private key is a seed of 32 bytes, of ML-KEM alone of 64")
    }
    let (parameterSet, count) = (kem.parameterSet, MLKEMParameterSet.seedByteCount)
    if let hybrid = kem.hybrid {
      let expanded = SecretBytes(count: count &+ hybrid.curve.seedByteCount) { expanded in
        seed.withUnsafeBytes {
          KeccakSponge.shake256.write($0, UnsafeRawBufferPointer(rebasing: $0[..<0]), to: expanded)
        }
      }
      (lattice, curve) = try expanded.withUnsafeBytes { bytes throws(CryptoError) in
        (
          MLKEMPrivateKey(parameterSet, anySeed: SecretBytes(copying: bytes[..<count])),
          try HybridCurveKey(hybrid.curve, seed: UnsafeRawBufferPointer(rebasing: bytes[count...]))
        )
      }
    } else {
      (lattice, curve) = (MLKEMPrivateKey(parameterSet, anySeed: seed), nil)
    }
    publicKey = LatticeKEMPublicKey(kem, lattice.publicKey, point: curve?.point ?? [])
    self.seed = seed
  }

  /// Learns the secret that belongs to a ciphertext; from a wrong one another secret, as
  /// ``MLKEMPrivateKey/decapsulate(_:)`` does.
  ///
  /// A point of small order in the ciphertext is not refused: its part of the secret is zero, and ML-KEM's remains.
  /// - Returns: 32 bytes.
  /// - Throws: `.decryptionFailed` for any other length than the KEM's, `.invalidPublicKey` when the ciphertext ends
  ///   with what is no point of P-256 or P-384.
  ///
  /// Timing: depends on the public key and on whether there is a point, not on whether the ciphertext is right.
  package func decapsulate(_ ciphertext: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
    guard ciphertext.count == kem.ciphertextByteCount else {
      throw CryptoError(.decryptionFailed, "the ciphertext must be as long as the KEM's")
    }
    let count = kem.parameterSet.ciphertextByteCount
    let latticeSecret = try lattice.decapsulate(ciphertext.prefix(count))
    guard let curve else { return latticeSecret }
    let point = Array(ciphertext.dropFirst(count))
    return publicKey.combined(latticeSecret, try curve.sharedSecret(with: point, takingSmallOrder: true), point)
  }
}

extension LatticeKEMPrivateKey: Redacted {}

extension LatticeKEMPrivateKey: HPKEPrivateKey {
  package var hpkeSerialization: SecretBytes { seed }

  package init(deriving material: SecretBytes, for kem: HPKE.KEM) throws(CryptoError) {
    guard let lattice = LatticeKEM(rawValue: kem.identifier) else { throw HPKE.KEM.otherKey }
    try self.init(lattice, seed: kem.labeled.derive([material], "DeriveKeyPair", [], lattice.seedByteCount))
  }

  package func hpkeDecapsulate(_ encapsulatedKey: [UInt8], for _: HPKE.KEM) throws(CryptoError) -> SecretBytes {
    try decapsulate(encapsulatedKey)
  }
}
