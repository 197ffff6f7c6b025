import PureCrypto

/// A public key that a secret can be agreed with by ECDH-ES, on any of its curves.
///
/// Source: RFC 7518 §4.6, RFC 8037 §3.2.
package enum AgreementPublicKey: Sendable {
  case p256(P256PublicKey)
  indirect case p384(P384PublicKey)
  indirect case p521(P521PublicKey)
  case x25519(X25519PublicKey)

  package var curve: Curve {
    switch self {
    case .p256: .p256
    case .p384: .p384
    case .p521: .p521
    case .x25519: .x25519
    }
  }

  /// The length of the shared secret Z.
  var secretByteCount: Int {
    switch self {
    case .p256, .x25519: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// `04 ‖ X ‖ Y`; of X25519, whose keys are no points with two coordinates, the 32 octets of u.
  package var octets: [UInt8] {
    switch self {
    case .p256(let key): key.x963Representation
    case .p384(let key): key.x963Representation
    case .p521(let key): key.x963Representation
    case .x25519(let key): key.rawRepresentation
    }
  }

  /// Reads ``octets``, whose length tells the curve. Nil if they are no key.
  package init?(octets: [UInt8]) {
    switch octets.count {
    case 32:
      guard let key = try? X25519PublicKey(rawRepresentation: octets) else { return nil }
      self = .x25519(key)
    case 65:
      guard let key = try? P256PublicKey(x963Representation: octets) else { return nil }
      self = .p256(key)
    case 97:
      guard let key = try? P384PublicKey(x963Representation: octets) else { return nil }
      self = .p384(key)
    case 133:
      guard let key = try? P521PublicKey(x963Representation: octets) else { return nil }
      self = .p521(key)
    default:
      return nil
    }
  }

  /// The key as material of a JWK.
  var material: JWK.Material {
    switch self {
    case .p256(let key): .p256Public(key)
    case .p384(let key): .p384Public(key)
    case .p521(let key): .p521Public(key)
    case .x25519(let key): .x25519Public(key)
    }
  }
}

/// The private half of an ``AgreementPublicKey``.
package enum AgreementPrivateKey: Sendable {
  case p256(P256PrivateKey)
  indirect case p384(P384PrivateKey)
  indirect case p521(P521PrivateKey)
  case x25519(X25519PrivateKey)

  /// A fresh key on a curve, or nil if that is one for signatures only.
  init?(on curve: Curve) {
    switch curve {
    case .p256: self = .p256(P256PrivateKey())
    case .p384: self = .p384(P384PrivateKey())
    case .p521: self = .p521(P521PrivateKey())
    case .x25519: self = .x25519(X25519PrivateKey())
    default: return nil
    }
  }

  package var publicKey: AgreementPublicKey {
    switch self {
    case .p256(let key): .p256(key.publicKey)
    case .p384(let key): .p384(key.publicKey)
    case .p521(let key): .p521(key.publicKey)
    case .x25519(let key): .x25519(key.publicKey)
    }
  }

  /// The key as material of a JWK.
  var material: JWK.Material {
    switch self {
    case .p256(let key): .p256Private(key)
    case .p384(let key): .p384Private(key)
    case .p521(let key): .p521Private(key)
    case .x25519(let key): .x25519Private(key)
    }
  }

  /// The shared secret Z, or nil if the other key is on another curve or of small order, so that there is none.
  ///
  /// Timing: does not depend on the private key or on Z.
  package func sharedSecret(with publicKey: AgreementPublicKey) -> SecretBytes? {
    switch (self, publicKey) {
    case (.p256(let key), .p256(let other)): try? key.sharedSecret(with: other)
    case (.p384(let key), .p384(let other)): try? key.sharedSecret(with: other)
    case (.p521(let key), .p521(let other)): try? key.sharedSecret(with: other)
    case (.x25519(let key), .x25519(let other)): try? key.sharedSecret(with: other)
    default: nil
    }
  }
}

extension JWK {
  /// The private key for ECDH-ES, or nil if this is none.
  package var agreementPrivateKey: AgreementPrivateKey? {
    switch material {
    case .p256Private(let key): .p256(key)
    case .p384Private(let key): .p384(key)
    case .p521Private(let key): .p521(key)
    case .x25519Private(let key): .x25519(key)
    default: nil
    }
  }

  /// The public key for ECDH-ES, also of a private one; nil if this is none.
  package var agreementPublicKey: AgreementPublicKey? {
    switch material {
    case .p256Public(let key): .p256(key)
    case .p384Public(let key): .p384(key)
    case .p521Public(let key): .p521(key)
    case .x25519Public(let key): .x25519(key)
    default: agreementPrivateKey?.publicKey
    }
  }
}
