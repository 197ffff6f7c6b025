import PureCrypto

extension JWK {
  /// A fresh private key for signing: P-256 for ES256, as many random octets as the digest has for HMAC, a modulus of 3072 bits for RSA,
  /// a seed for Ed25519.
  ///
  /// An RSA key takes seconds to find.
  public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) -> JWK {
    JWK(generateMaterial(for: algorithm.row), keyID: keyID, algorithm: algorithm.name, use: "sig")
  }

  /// A fresh private P-256 key for ECDH-ES.
  public static func generateForKeyAgreement(keyID: String? = nil) -> JWK {
    JWK(.p256Private(P256PrivateKey()), keyID: keyID, algorithm: KeyManagementAlgorithm.ecdhES.name, use: "enc")
  }

  /// A fresh key for a key management algorithm: a private P-256 key for agreement, or random octets of the algorithm's length.
  ///
  /// - Throws: ``JOSEError/Code/callerMisuse`` for `dir`, whose key is one of a content encryption algorithm, and for algorithms with
  ///   passwords, which are not made here.
  public static func generate(_ algorithm: KeyManagementAlgorithm, keyID: String? = nil) throws(JOSEError) -> JWK {
    let row = algorithm.row
    if row.usesEphemeralKey {
      return JWK(.p256Private(P256PrivateKey()), keyID: keyID, algorithm: algorithm.name, use: "enc")
    }
    if row.keyType == .rsa {
      return JWK(.rsaPrivate(RSAPrivateKey.generate()), keyID: keyID, algorithm: algorithm.name, use: "enc")
    }
    guard row.keyType == .oct, row.wrappingKeyByteCount > 0, row.wrapping != .password else {
      throw JOSEError(.callerMisuse, "no key can be generated for this algorithm", name: "alg")
    }
    return JWK(.octets(.random(count: row.wrappingKeyByteCount)), keyID: keyID, algorithm: algorithm.name, use: "enc")
  }

  /// A fresh symmetric key for direct encryption (`dir`) with one content encryption algorithm.
  public static func generate(_ contentEncryption: ContentEncryptionAlgorithm, keyID: String? = nil) -> JWK {
    JWK(
      .octets(.random(count: contentEncryption.row.keyByteCount)), keyID: keyID, algorithm: contentEncryption.name,
      use: "enc")
  }

  private static func generateMaterial(for row: SignatureAlgorithm.Row) -> Material {
    switch row.keyType {
    case .oct: .octets(.random(count: row.minimumKeyByteCount))
    case .rsa: .rsaPrivate(RSAPrivateKey.generate())
    case .okp: .ed25519Private(Ed25519PrivateKey())
    default: .p256Private(P256PrivateKey())
    }
  }
}
