/// A private key of any algorithm.
package indirect enum PrivateKey: Sendable {
  case ec(AnyECPrivateKey)
  case rsa(AnyRSAPrivateKey)
  case ed25519(Ed25519PrivateKey)
  case x25519(X25519PrivateKey)
  case mlDSA(MLDSASigningKey)
  case lattice(LatticeKEMPrivateKey)

  init(_ file: PrivateKeyFile) throws(CryptoError) {
    switch file.algorithm {
    case .ec(let curve): self = .ec(try AnyECPrivateKey(curve, file))
    case .rsa: self = .rsa(try AnyRSAPrivateKey(file))
    case .ed25519: self = .ed25519(try Ed25519PrivateKey(file))
    case .x25519: self = .x25519(try X25519PrivateKey(file))
    case .mlDSA: self = .mlDSA(try MLDSASigningKey(file))
    case .mlKEM: self = .lattice(try LatticeKEMPrivateKey(MLKEMPrivateKey(file)))
    }
  }

  package var publicKey: PublicKey {
    switch self {
    case .ec(let key): .ec(key.publicKey)
    case .rsa(let key): .rsa(key.publicKey)
    case .ed25519(let key): .ed25519(key.publicKey)
    case .x25519(let key): .x25519(key.publicKey)
    case .mlDSA(let key): .mlDSA(key.publicKey)
    case .lattice(let key): .lattice(key.publicKey)
    }
  }

  /// PKCS #8 PrivateKeyInfo in DER, or `nil` for an RSA key without its prime factors and for a hybrid of ML-KEM and a
  /// curve, which have no such form.
  ///
  /// Timing: for RSA depends on the numbers of leading zeros, which the encoding shows.
  package var derRepresentation: SecretBytes? {
    switch self {
    case .ec(let key): key.derRepresentation
    case .rsa(let key): key.derRepresentation
    case .ed25519(let key): key.derRepresentation
    case .x25519(let key): key.derRepresentation
    case .mlDSA(let key): key.derRepresentation
    case .lattice(let key): key.derRepresentation
    }
  }

  /// A `PRIVATE KEY` (PKCS #8) block, or `nil` as for ``derRepresentation``. A `String` can't be wiped: keep it no
  /// longer than you must.
  package var pemRepresentation: String? { derRepresentation.map(PrivateKeyFile.pem) }

  /// The shared secret Z, or nil if the keys have no shared secret: with a key of another curve or of small order, or a
  /// key that is not for agreement.
  ///
  /// Timing: does not depend on the private key or on Z.
  package func sharedSecret(with publicKey: PublicKey) -> SharedSecret? {
    switch (self, publicKey) {
    case (.ec(let key), .ec(let other)): key.sharedSecret(with: other)
    case (.x25519(let key), .x25519(let other)): try? key.sharedSecret(with: other)
    default: nil
    }
  }
}
