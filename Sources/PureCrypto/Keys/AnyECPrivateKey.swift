/// A private key on one of the named curves, where which one is known at run time only.
package enum AnyECPrivateKey: Sendable {
  case p256(P256PrivateKey)
  case p384(P384PrivateKey)
  case p521(P521PrivateKey)
  case secp256k1(Secp256k1PrivateKey)

  /// A fresh key.
  package init(_ curve: NamedCurve) {
    switch curve {
    case .p256: self = .p256(P256PrivateKey())
    case .p384: self = .p384(P384PrivateKey())
    case .p521: self = .p521(P521PrivateKey())
    case .secp256k1: self = .secp256k1(Secp256k1PrivateKey())
    }
  }

  /// Reads d.
  /// - Throws: `.invalidPrivateKey` when it has another length than n, or is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  package init(_ curve: NamedCurve, rawRepresentation d: SecretBytes) throws(CryptoError) {
    switch curve {
    case .p256: self = .p256(try P256PrivateKey(rawRepresentation: d))
    case .p384: self = .p384(try P384PrivateKey(rawRepresentation: d))
    case .p521: self = .p521(try P521PrivateKey(rawRepresentation: d))
    case .secp256k1: self = .secp256k1(try Secp256k1PrivateKey(rawRepresentation: d))
    }
  }

  init(_ curve: NamedCurve, _ file: PrivateKeyFile) throws(CryptoError) {
    switch curve {
    case .p256: self = .p256(try P256PrivateKey(file))
    case .p384: self = .p384(try P384PrivateKey(file))
    case .p521: self = .p521(try P521PrivateKey(file))
    case .secp256k1: self = .secp256k1(try Secp256k1PrivateKey(file))
    }
  }

  package var curve: NamedCurve { publicKey.curve }

  package var publicKey: AnyECPublicKey {
    switch self {
    case .p256(let key): .p256(key.publicKey)
    case .p384(let key): .p384(key.publicKey)
    case .p521(let key): .p521(key.publicKey)
    case .secp256k1(let key): .secp256k1(key.publicKey)
    }
  }

  /// d, as long as n, most significant byte first.
  package var rawRepresentation: SecretBytes {
    switch self {
    case .p256(let key): key.rawRepresentation
    case .p384(let key): key.rawRepresentation
    case .p521(let key): key.rawRepresentation
    case .secp256k1(let key): key.rawRepresentation
    }
  }

  /// PKCS #8 PrivateKeyInfo in DER.
  package var derRepresentation: SecretBytes {
    switch self {
    case .p256(let key): key.derRepresentation
    case .p384(let key): key.derRepresentation
    case .p521(let key): key.derRepresentation
    case .secp256k1(let key): key.derRepresentation
    }
  }

  /// r ‖ s, with the curve's own hash function.
  ///
  /// Timing: depends on the length of the message only.
  package func signature(
    for message: [UInt8], nonce: ECDSANonceGeneration = .hedged
  ) -> [UInt8] {
    switch self {
    case .p256(let key): key.signature(for: message, nonce: nonce).rawRepresentation
    case .p384(let key): key.signature(for: message, nonce: nonce).rawRepresentation
    case .p521(let key): key.signature(for: message, nonce: nonce).rawRepresentation
    case .secp256k1(let key): key.signature(for: message, nonce: nonce).rawRepresentation
    }
  }

  /// r ‖ s of a digest of any function, which also makes the nonce. JOSE pairs each curve with one; this is for
  /// vectors.
  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, nonce: ECDSANonceGeneration
  ) -> [UInt8] {
    digest.withUnsafeBytes { digest in
      switch self {
      case .p256(let key): ECDSA<P256Curve>.signature(digest, function, d: key.secret, nonce: nonce)
      case .p384(let key): ECDSA<P384Curve>.signature(digest, function, d: key.secret, nonce: nonce)
      case .p521(let key): ECDSA<P521Curve>.signature(digest, function, d: key.secret, nonce: nonce)
      case .secp256k1(let key): ECDSA<Secp256k1Curve>.signature(digest, function, d: key.secret, nonce: nonce)
      }
    }
  }

  /// The shared secret Z, or nil if the other key is on another curve, or the curve is not for agreement.
  ///
  /// Timing: does not depend on the private key or on Z.
  package func sharedSecret(with publicKey: AnyECPublicKey) -> SharedSecret? {
    switch (self, publicKey) {
    case (.p256(let key), .p256(let other)): try? key.sharedSecret(with: other)
    case (.p384(let key), .p384(let other)): try? key.sharedSecret(with: other)
    case (.p521(let key), .p521(let other)): try? key.sharedSecret(with: other)
    default: nil
    }
  }
}
