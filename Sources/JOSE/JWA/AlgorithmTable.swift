// The one table of algorithms: a new algorithm is a new row here, a new name in its type, and the operation that its key performs.
//
// Source: RFC 7518 §3.1, §4.1 and §5.1.

extension SignatureAlgorithm {
  /// What is to be known of the algorithm outside its arithmetic.
  package struct Row: Sendable {
    package let name: StaticString
    package let keyType: KeyType
    /// The curve that the key must be on.
    package var curve: Curve?
    /// A signature has exactly this length; nil for RSA, where it is that of the key's modulus.
    package var signatureByteCount: Int?
    /// A symmetric key has at least this length (RFC 7518 §3.2).
    package var minimumKeyByteCount = 0
  }

  package var row: Row {
    switch identifier {
    case .es256: Row(name: "ES256", keyType: .ec, curve: .p256, signatureByteCount: 64)
    case .es384: Row(name: "ES384", keyType: .ec, curve: .p384, signatureByteCount: 96)
    case .es512: Row(name: "ES512", keyType: .ec, curve: .p521, signatureByteCount: 132)
    case .hs256: Row(name: "HS256", keyType: .oct, signatureByteCount: 32, minimumKeyByteCount: 32)
    case .hs384: Row(name: "HS384", keyType: .oct, signatureByteCount: 48, minimumKeyByteCount: 48)
    case .hs512: Row(name: "HS512", keyType: .oct, signatureByteCount: 64, minimumKeyByteCount: 64)
    case .rs256: Row(name: "RS256", keyType: .rsa)
    case .rs384: Row(name: "RS384", keyType: .rsa)
    case .rs512: Row(name: "RS512", keyType: .rsa)
    case .ps256: Row(name: "PS256", keyType: .rsa)
    case .ps384: Row(name: "PS384", keyType: .rsa)
    case .ps512: Row(name: "PS512", keyType: .rsa)
    case .eddsa: Row(name: "EdDSA", keyType: .okp, curve: .ed25519, signatureByteCount: 64)
    case .ed25519: Row(name: "Ed25519", keyType: .okp, curve: .ed25519, signatureByteCount: 64)
    }
  }
}

extension KeyManagementAlgorithm {
  /// What is to be known of the algorithm outside its arithmetic.
  package struct Row: Sendable {
    package let name: StaticString
    /// For a key agreement the usual one: keys on X25519 are octet key pairs. See ``KeyManagementAlgorithm/takes(_:)``.
    package let keyType: KeyType
    /// Whether the encrypted key is empty, because the recipient's key itself yields the content encryption key.
    package let isDirect: Bool
    /// Whether the sender makes an ephemeral key and `epk` must be present.
    package let usesEphemeralKey: Bool
    /// How a symmetric key encrypts the content encryption key, if one does.
    package var wrapping: Wrapping?
    /// That symmetric key's length.
    package var wrappingKeyByteCount = 0
  }

  package enum Wrapping: Sendable {
    case aesKeyWrap
    case aesGCM
    /// AES Key Wrap with a key made from a password.
    case password
  }

  package var row: Row {
    switch identifier {
    case .ecdhES: Row(name: "ECDH-ES", keyType: .ec, isDirect: true, usesEphemeralKey: true)
    case .rsaOAEP: Row(name: "RSA-OAEP", keyType: .rsa, isDirect: false, usesEphemeralKey: false)
    case .rsaOAEP256: Row(name: "RSA-OAEP-256", keyType: .rsa, isDirect: false, usesEphemeralKey: false)
    case .dir: Row(name: "dir", keyType: .oct, isDirect: true, usesEphemeralKey: false)
    case .a128kw:
      Row(
        name: "A128KW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .aesKeyWrap,
        wrappingKeyByteCount: 16)
    case .a192kw:
      Row(
        name: "A192KW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .aesKeyWrap,
        wrappingKeyByteCount: 24)
    case .a256kw:
      Row(
        name: "A256KW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .aesKeyWrap,
        wrappingKeyByteCount: 32)
    case .a128gcmKW:
      Row(
        name: "A128GCMKW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .aesGCM,
        wrappingKeyByteCount: 16)
    case .a192gcmKW:
      Row(
        name: "A192GCMKW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .aesGCM,
        wrappingKeyByteCount: 24)
    case .a256gcmKW:
      Row(
        name: "A256GCMKW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .aesGCM,
        wrappingKeyByteCount: 32)
    case .ecdhESA128KW:
      Row(
        name: "ECDH-ES+A128KW", keyType: .ec, isDirect: false, usesEphemeralKey: true, wrapping: .aesKeyWrap,
        wrappingKeyByteCount: 16)
    case .ecdhESA192KW:
      Row(
        name: "ECDH-ES+A192KW", keyType: .ec, isDirect: false, usesEphemeralKey: true, wrapping: .aesKeyWrap,
        wrappingKeyByteCount: 24)
    case .ecdhESA256KW:
      Row(
        name: "ECDH-ES+A256KW", keyType: .ec, isDirect: false, usesEphemeralKey: true, wrapping: .aesKeyWrap,
        wrappingKeyByteCount: 32)
    case .pbes2HS256A128KW:
      Row(
        name: "PBES2-HS256+A128KW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .password,
        wrappingKeyByteCount: 16)
    case .pbes2HS384A192KW:
      Row(
        name: "PBES2-HS384+A192KW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .password,
        wrappingKeyByteCount: 24)
    case .pbes2HS512A256KW:
      Row(
        name: "PBES2-HS512+A256KW", keyType: .oct, isDirect: false, usesEphemeralKey: false, wrapping: .password,
        wrappingKeyByteCount: 32)
    }
  }
}

extension ContentEncryptionAlgorithm {
  /// What is to be known of the algorithm outside its arithmetic. Lengths are in octets.
  package struct Row: Sendable {
    package let name: StaticString
    package let keyByteCount: Int
    package let initializationVectorByteCount: Int
    package let authenticationTagByteCount: Int
    /// Whether it is AES-CBC with HMAC, not AES-GCM.
    package var isComposite = false
  }

  package var row: Row {
    switch identifier {
    case .a128gcm:
      Row(name: "A128GCM", keyByteCount: 16, initializationVectorByteCount: 12, authenticationTagByteCount: 16)
    case .a192gcm:
      Row(name: "A192GCM", keyByteCount: 24, initializationVectorByteCount: 12, authenticationTagByteCount: 16)
    case .a256gcm:
      Row(name: "A256GCM", keyByteCount: 32, initializationVectorByteCount: 12, authenticationTagByteCount: 16)
    case .a128cbcHS256:
      Row(
        name: "A128CBC-HS256", keyByteCount: 32, initializationVectorByteCount: 16, authenticationTagByteCount: 16,
        isComposite: true)
    case .a192cbcHS384:
      Row(
        name: "A192CBC-HS384", keyByteCount: 48, initializationVectorByteCount: 16, authenticationTagByteCount: 24,
        isComposite: true)
    case .a256cbcHS512:
      Row(
        name: "A256CBC-HS512", keyByteCount: 64, initializationVectorByteCount: 16, authenticationTagByteCount: 32,
        isComposite: true)
    }
  }
}
