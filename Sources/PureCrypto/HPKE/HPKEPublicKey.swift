/// A public key that DHKEM encapsulates to.
package protocol HPKEPublicKey: Sendable {
  /// The KEM of its curve, if there is one.
  static var hpkeKEM: HPKE.KEM? { get }

  /// SerializePublicKey.
  /// Source: RFC 9180 §7.1.1.
  var hpkeSerialization: [UInt8] { get }

  /// DeserializePublicKey.
  /// - Throws: `.invalidPublicKey`.
  /// Source: RFC 9180 §7.1.1, §7.1.4.
  init(hpkeSerialization bytes: [UInt8]) throws(CryptoError)
}

extension ECPublicKey: HPKEPublicKey where Use: KeyUse.Agrees {
  package static var hpkeKEM: HPKE.KEM? {
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

extension X25519PublicKey: HPKEPublicKey {
  package static var hpkeKEM: HPKE.KEM? { .x25519 }

  package var hpkeSerialization: [UInt8] { rawRepresentation }

  package init(hpkeSerialization bytes: [UInt8]) throws(CryptoError) { try self.init(rawRepresentation: bytes) }
}
