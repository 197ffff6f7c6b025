/// A private key that DHKEM decapsulates with.
package protocol DHKEMPrivateKey: HPKEPrivateKey where PublicKey: DHKEMPublicKey {
  /// The length of a private key in bytes, Nsk.
  static var hpkeByteCount: Int { get }

  /// Makes a new key.
  init()
  init(rawRepresentation bytes: SecretBytes) throws(CryptoError)

  var rawRepresentation: SecretBytes { get }

  func sharedSecret(with publicKey: PublicKey) throws(CryptoError) -> SharedSecret
}

extension DHKEMPrivateKey {
  package var hpkeSerialization: SecretBytes { rawRepresentation }

  package init(deriving material: SecretBytes, for kem: HPKE.KEM) throws(CryptoError) {
    guard PublicKey.dhKEM == kem else { throw HPKE.KEM.otherKey }
    let (labeled, count) = (kem.labeled, Self.hpkeByteCount)
    let key = try labeled.extract(salt: nil, "dkp_prk", material)
    if kem == .x25519 {
      try self.init(rawRepresentation: labeled.expand(key, "sk", [], count))
      return
    }
    for counter in UInt8.min...UInt8.max {
      var candidate = try labeled.expand(key, "candidate", [counter], count)
      // The order of P-521 has 521 bits.
      if kem == .p521 {
        candidate = candidate.withUnsafeBytes { bytes in
          SecretBytes(count: count) { masked in
            masked.copyMemory(from: bytes)
            masked[0] &= 1
          }
        }
      }
      if let key = try? Self(rawRepresentation: candidate) {
        self = key
        return
      }
    }
    throw CryptoError(.invalidPrivateKey, "no candidate for a private key is in range")
  }

  package func hpkeDecapsulate(_ encapsulatedKey: [UInt8], for kem: HPKE.KEM) throws(CryptoError) -> SecretBytes {
    let ephemeral = try PublicKey(hpkeSerialization: encapsulatedKey)
    return try kem.extractAndExpand(
      sharedSecret(with: ephemeral), context: encapsulatedKey + publicKey.hpkeSerialization)
  }
}

extension ECPrivateKey: HPKEPrivateKey, DHKEMPrivateKey where Use: KeyUse.Agrees {
  package static var hpkeByteCount: Int { Curve.namedCurve.coordinateByteCount }
}

extension X25519PrivateKey: DHKEMPrivateKey {
  package static var hpkeByteCount: Int { 32 }
}
