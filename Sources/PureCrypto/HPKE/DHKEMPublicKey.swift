/// A public key that DHKEM encapsulates to.
package protocol DHKEMPublicKey: HPKEPublicKey {
  /// What belongs to it, and to keys for one use.
  associatedtype Ephemeral: DHKEMPrivateKey where Ephemeral.PublicKey == Self

  /// The KEM of its curve, if there is one.
  static var dhKEM: HPKE.KEM? { get }

  /// DeserializePublicKey.
  /// - Throws: `.invalidPublicKey`.
  /// Source: RFC 9180 §7.1.1, §7.1.4.
  init(hpkeSerialization bytes: [UInt8]) throws(CryptoError)
}

extension DHKEMPublicKey {
  package var hpkeKEM: HPKE.KEM? { Self.dhKEM }

  package func hpkeEncapsulate(
    for kem: HPKE.KEM
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
    try hpkeEncapsulate(for: kem, ephemeral: Ephemeral())
  }

  package func hpkeEncapsulate(
    for kem: HPKE.KEM, randomness: SecretBytes
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
    try hpkeEncapsulate(for: kem, ephemeral: Ephemeral(deriving: randomness, for: kem))
  }

  /// Encap with a given key for one use.
  func hpkeEncapsulate(
    for kem: HPKE.KEM, ephemeral: Ephemeral
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
    let encapsulatedKey = ephemeral.publicKey.hpkeSerialization
    let sharedSecret = try kem.extractAndExpand(
      ephemeral.sharedSecret(with: self), context: encapsulatedKey + hpkeSerialization)
    return (sharedSecret, encapsulatedKey)
  }
}

extension ECPublicKey: HPKEPublicKey, DHKEMPublicKey where Use: KeyUse.Agrees {
  package typealias Ephemeral = ECPrivateKey<Curve, Use>

  package static var dhKEM: HPKE.KEM? {
    switch Curve.namedCurve {
    case .p256: .p256
    case .p384: .p384
    case .p521: .p521
    case .secp256k1: nil
    }
  }

  package var hpkeSerialization: [UInt8] { x963Representation }

  package init(hpkeSerialization bytes: [UInt8]) throws(CryptoError) { try self.init(x963Representation: bytes) }
}

extension X25519PublicKey: DHKEMPublicKey {
  package typealias Ephemeral = X25519PrivateKey

  package static var dhKEM: HPKE.KEM? { .x25519 }

  package var hpkeSerialization: [UInt8] { rawRepresentation }

  package init(hpkeSerialization bytes: [UInt8]) throws(CryptoError) { try self.init(rawRepresentation: bytes) }
}
