import PureCrypto

extension JWK {
  /// A fresh private key for signing: on the algorithm's curve for ECDSA, as many random octets as the digest has for HMAC, a modulus of
  /// 3072 bits for RSA, a seed for Ed25519.
  ///
  /// An RSA key takes seconds to find.
  public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) -> JWK {
    JWK(generateMaterial(for: algorithm.row), keyID: keyID, algorithm: algorithm.name, use: "sig")
  }

  /// A fresh private P-256 key for ECDH-ES.
  public static func generateForKeyAgreement(keyID: String? = nil) -> JWK {
    JWK(.p256Private(P256PrivateKey()), keyID: keyID, algorithm: KeyManagementAlgorithm.ecdhES.name, use: "enc")
  }

  /// A fresh key for a key management algorithm: a private key for agreement, or random octets of the algorithm's length.
  ///
  /// - Parameters:
  ///   - algorithm: what the key is for, written as its `alg`. An RSA key has a modulus of 3072 bits and takes seconds to find.
  ///   - curve: of a key for agreement: ``Curve/p256``, ``Curve/p384``, ``Curve/p521`` or ``Curve/x25519``. Nil takes P-256.
  ///   - keyID: the key's `kid`; nil for none.
  /// - Throws: ``JOSEError/Code/callerMisuse`` for `dir`, whose key is one of a content encryption algorithm, for algorithms with
  ///   passwords, which are not made here, and for a curve with an algorithm that has none, or the wrong one.
  public static func generate(
    _ algorithm: KeyManagementAlgorithm, curve: Curve? = nil, keyID: String? = nil
  ) throws(JOSEError) -> JWK {
    let row = algorithm.row
    if row.usesEphemeralKey {
      guard let key = AgreementPrivateKey(on: curve ?? .p256) else {
        throw JOSEError(.callerMisuse, "no secret can be agreed on this curve", name: "crv")
      }
      return JWK(key.material, keyID: keyID, algorithm: algorithm.name, use: "enc")
    }
    guard curve == nil else { throw JOSEError(.callerMisuse, "the algorithm has no curve", name: "crv") }
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
    switch row.curve {
    case .p256: .p256Private(P256PrivateKey())
    case .p384: .p384Private(P384PrivateKey())
    case .p521: .p521Private(P521PrivateKey())
    case .ed25519: .ed25519Private(Ed25519PrivateKey())
    default:
      row.keyType == .rsa
        ? .rsaPrivate(RSAPrivateKey.generate()) : .octets(HMACSecret.random(count: row.minimumKeyByteCount))
    }
  }
}
