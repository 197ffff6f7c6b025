/// A public key of a KEM with ML-KEM in it.
package struct LatticeKEMPublicKey: Sendable, Hashable {
  package let kem: LatticeKEM
  let lattice: MLKEMPublicKey
  /// A point that was validated; empty where there is no curve.
  let point: [UInt8]

  /// Reads a key.
  /// - Parameter bytes: that of ML-KEM first.
  /// - Throws: `.invalidPublicKey` for any other length, when a coefficient is not below q, and for what is no point.
  package init(_ kem: LatticeKEM, rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    let count = kem.parameterSet.publicKeyByteCount
    self.kem = kem
    lattice = try MLKEMPublicKey(kem.parameterSet, rawRepresentation: bytes.prefix(count))
    point = Array(bytes.dropFirst(count))
    if let hybrid = kem.hybrid {
      try hybrid.curve.validate(point)
    } else if !point.isEmpty {
      throw CryptoError(.invalidPublicKey, "the public key's length must be that of the ML-KEM parameter set")
    }
  }

  init(_ kem: LatticeKEM, _ lattice: MLKEMPublicKey, point: [UInt8]) {
    (self.kem, self.lattice, self.point) = (kem, lattice, point)
  }

  /// The key of ML-KEM, then the point.
  package var rawRepresentation: [UInt8] { lattice.rawRepresentation + point }

  /// Makes a secret and what its other owner learns it from.
  /// - Returns: 32 uniformly random bytes, and the ciphertext.
  /// - Throws: `.invalidPublicKey` when the point is of small order.
  ///
  /// Timing: depends on the public key only.
  package func encapsulate() throws(CryptoError) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    try encapsulate(
      message: .random(count: MLKEMParameterSet.secretByteCount), kem.hybrid.map { HybridCurveKey($0.curve) })
  }

  /// The same with randomness of the caller's choice. For vectors.
  /// - Parameter randomness: as long as the KEM says.
  /// - Throws: also `.invalidPrivateKey` for another length, and when it gives no private key.
  package func encapsulate(
    randomness: SecretBytes
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    // The draft's vectors have three candidates for P-256, keys have four.
    guard randomness.count == kem.randomnessByteCount || kem == .mlKEM768P256 && randomness.count == 128 else {
      throw CryptoError(.invalidPrivateKey, "the randomness must be as long as the KEM's")
    }
    let count = MLKEMParameterSet.secretByteCount
    let (message, ephemeral) = try randomness.withUnsafeBytes { bytes throws(CryptoError) in
      (
        SecretBytes(copying: bytes[..<count]),
        try HybridCurveKey(kem, seed: UnsafeRawBufferPointer(rebasing: bytes[count...]))
      )
    }
    return try encapsulate(message: message, ephemeral)
  }

  private func encapsulate(
    message: SecretBytes, _ ephemeral: HybridCurveKey?
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    let (latticeSecret, ciphertext) = lattice.encapsulate(message)
    guard let ephemeral else { return (latticeSecret, ciphertext) }
    let agreed = try ephemeral.sharedSecret(with: point, takingSmallOrder: false)
    let ephemeralPoint = ephemeral.point
    return (combined(latticeSecret, agreed, ephemeralPoint), ciphertext + ephemeralPoint)
  }

  /// SHA3-256(K of ML-KEM ‖ the curve's secret ‖ both points ‖ label).
  ///
  /// Timing: depends on nothing.
  func combined(_ lattice: SecretBytes, _ agreed: SharedSecret, _ ephemeral: [UInt8]) -> SecretBytes {
    var sponge = KeccakSponge.hash(digestByteCount: 32)
    defer { wipe(&sponge) }
    lattice.withUnsafeBytes { sponge.update($0) }
    agreed.withUnsafeBytes { sponge.update($0) }
    for part in [ephemeral, point, Array((kem.hybrid?.label ?? "").utf8)] {
      part.withUnsafeBytes { sponge.update($0) }
    }
    return SecretBytes(count: 32) { sponge.finalize(into: $0) }
  }
}

extension HybridCurveKey {
  /// The key of the KEM's curve, if it has one.
  init?(_ kem: LatticeKEM, seed: UnsafeRawBufferPointer) throws(CryptoError) {
    guard let hybrid = kem.hybrid else { return nil }
    try self.init(hybrid.curve, seed: seed)
  }
}

extension LatticeKEMPublicKey: HPKEPublicKey {
  package var hpkeKEM: HPKE.KEM? { .lattice(kem) }

  package var hpkeSerialization: [UInt8] { rawRepresentation }

  package func hpkeEncapsulate(
    for _: HPKE.KEM
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
    let (sharedSecret, ciphertext) = try encapsulate()
    return (sharedSecret, ciphertext)
  }

  package func hpkeEncapsulate(
    for _: HPKE.KEM, randomness: SecretBytes
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
    let (sharedSecret, ciphertext) = try encapsulate(randomness: randomness)
    return (sharedSecret, ciphertext)
  }
}
