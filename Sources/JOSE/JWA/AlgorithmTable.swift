// The one table of algorithms and curves: a new one is a new row here, a new name in its type, and the operation that
// its key performs.
//
// Source: RFC 7518 §3.1, §4.1, §5.1 and §6.2.1.1, RFC 8812 §3, RFC 9964 §4.

import PureCrypto

extension SignatureAlgorithm {
  /// Algorithms of one scheme on one public key. A secret is made for one hash (SP 800-107 §5.3.1), so each HMAC
  /// stands alone.
  package enum Family: Sendable {
    case hmacSHA256, hmacSHA384, hmacSHA512, rsaPKCS1, rsaPSS, ecdsa, ed25519, mlDSA
  }

  /// A hash function of the SHA-2 family, or SHAKE256.
  package enum Hash: Sendable {
    case sha256, sha384, sha512, shake256
  }

  /// What is to be known of the algorithm outside its arithmetic.
  package struct Row: Sendable {
    package let name: StaticString
    package let family: Family
    package let hash: Hash
    package let keyType: KeyType
    /// The curve that the key must be on.
    package var curve: Curve?
    /// The parameter set that the key must be of.
    package var parameterSet: MLDSAParameterSet?
    /// A signature has exactly this length; nil for RSA, where it is that of the key's modulus.
    package var signatureByteCount: Int?
    /// A symmetric key has at least this length (RFC 7518 §3.2).
    package var minimumKeyByteCount = 0

    init(
      name: StaticString, _ family: Family, _ hash: Hash, keyType: KeyType, curve: Curve? = nil,
      parameterSet: MLDSAParameterSet? = nil, signatureByteCount: Int? = nil, minimumKeyByteCount: Int = 0
    ) {
      (self.name, self.family, self.hash) = (name, family, hash)
      (self.keyType, self.curve, self.parameterSet) = (keyType, curve, parameterSet)
      (self.signatureByteCount, self.minimumKeyByteCount) = (signatureByteCount, minimumKeyByteCount)
    }
  }

  package var row: Row {
    switch identifier {
    case .es256: Row(name: "ES256", .ecdsa, .sha256, keyType: .ec, curve: .p256, signatureByteCount: 64)
    case .es384: Row(name: "ES384", .ecdsa, .sha384, keyType: .ec, curve: .p384, signatureByteCount: 96)
    case .es512: Row(name: "ES512", .ecdsa, .sha512, keyType: .ec, curve: .p521, signatureByteCount: 132)
    case .es256k: Row(name: "ES256K", .ecdsa, .sha256, keyType: .ec, curve: .secp256k1, signatureByteCount: 64)
    case .hs256:
      Row(name: "HS256", .hmacSHA256, .sha256, keyType: .oct, signatureByteCount: 32, minimumKeyByteCount: 32)
    case .hs384:
      Row(name: "HS384", .hmacSHA384, .sha384, keyType: .oct, signatureByteCount: 48, minimumKeyByteCount: 48)
    case .hs512:
      Row(name: "HS512", .hmacSHA512, .sha512, keyType: .oct, signatureByteCount: 64, minimumKeyByteCount: 64)
    case .rs256: Row(name: "RS256", .rsaPKCS1, .sha256, keyType: .rsa)
    case .rs384: Row(name: "RS384", .rsaPKCS1, .sha384, keyType: .rsa)
    case .rs512: Row(name: "RS512", .rsaPKCS1, .sha512, keyType: .rsa)
    case .ps256: Row(name: "PS256", .rsaPSS, .sha256, keyType: .rsa)
    case .ps384: Row(name: "PS384", .rsaPSS, .sha384, keyType: .rsa)
    case .ps512: Row(name: "PS512", .rsaPSS, .sha512, keyType: .rsa)
    case .eddsa: Row(name: "EdDSA", .ed25519, .sha512, keyType: .okp, curve: .ed25519, signatureByteCount: 64)
    case .ed25519: Row(name: "Ed25519", .ed25519, .sha512, keyType: .okp, curve: .ed25519, signatureByteCount: 64)
    case .mlDSA44: .mlDSA("ML-DSA-44", .mlDSA44)
    case .mlDSA65: .mlDSA("ML-DSA-65", .mlDSA65)
    case .mlDSA87: .mlDSA("ML-DSA-87", .mlDSA87)
    }
  }

  /// Whether the algorithm is one for keys of this type, on this curve or of this parameter set.
  func takes(_ key: JWK) -> Bool {
    let row = row
    return row.keyType == key.keyType && row.curve == key.curve
      && row.parameterSet == key.material.publicKey?.parameterSet
  }
}

extension SignatureAlgorithm.Row {
  /// Octets are hashed with SHAKE256 throughout ML-DSA.
  fileprivate static func mlDSA(_ name: StaticString, _ parameterSet: MLDSAParameterSet) -> Self {
    Self(
      name: name, .mlDSA, .shake256, keyType: .akp, parameterSet: parameterSet,
      signatureByteCount: parameterSet.signatureByteCount)
  }
}

extension MLDSAParameterSet {
  /// The one algorithm of its keys.
  package var algorithm: SignatureAlgorithm {
    switch self {
    case .mlDSA44: .mlDSA44
    case .mlDSA65: .mlDSA65
    case .mlDSA87: .mlDSA87
    }
  }

  /// What verifying a signature costs, in the units of a curve's.
  var operationCost: Int {
    switch self {
    case .mlDSA44: 150
    case .mlDSA65: 250
    case .mlDSA87: 400
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
    package var isDirect = false
    /// Whether the sender makes an ephemeral key and `epk` must be present.
    package var usesEphemeralKey = false
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
    case .ecdhESA128KW: .agreedKeyWrap("ECDH-ES+A128KW", byteCount: 16)
    case .ecdhESA192KW: .agreedKeyWrap("ECDH-ES+A192KW", byteCount: 24)
    case .ecdhESA256KW: .agreedKeyWrap("ECDH-ES+A256KW", byteCount: 32)
    case .rsaOAEP: Row(name: "RSA-OAEP", keyType: .rsa)
    case .rsaOAEP256: Row(name: "RSA-OAEP-256", keyType: .rsa)
    case .rsaOAEP384: Row(name: "RSA-OAEP-384", keyType: .rsa)
    case .rsaOAEP512: Row(name: "RSA-OAEP-512", keyType: .rsa)
    case .dir: Row(name: "dir", keyType: .oct, isDirect: true)
    case .a128kw: .symmetric("A128KW", .aesKeyWrap, byteCount: 16)
    case .a192kw: .symmetric("A192KW", .aesKeyWrap, byteCount: 24)
    case .a256kw: .symmetric("A256KW", .aesKeyWrap, byteCount: 32)
    case .a128gcmKW: .symmetric("A128GCMKW", .aesGCM, byteCount: 16)
    case .a192gcmKW: .symmetric("A192GCMKW", .aesGCM, byteCount: 24)
    case .a256gcmKW: .symmetric("A256GCMKW", .aesGCM, byteCount: 32)
    case .pbes2HS256A128KW: .symmetric("PBES2-HS256+A128KW", .password, byteCount: 16)
    case .pbes2HS384A192KW: .symmetric("PBES2-HS384+A192KW", .password, byteCount: 24)
    case .pbes2HS512A256KW: .symmetric("PBES2-HS512+A256KW", .password, byteCount: 32)
    }
  }
}

extension KeyManagementAlgorithm.Row {
  /// A symmetric key of this length, or a password, encrypts the content encryption key.
  fileprivate static func symmetric(
    _ name: StaticString, _ wrapping: KeyManagementAlgorithm.Wrapping, byteCount: Int
  ) -> Self {
    Self(name: name, keyType: .oct, wrapping: wrapping, wrappingKeyByteCount: byteCount)
  }

  /// The agreed key, of this length, encrypts the content encryption key.
  fileprivate static func agreedKeyWrap(_ name: StaticString, byteCount: Int) -> Self {
    Self(name: name, keyType: .ec, usesEphemeralKey: true, wrapping: .aesKeyWrap, wrappingKeyByteCount: byteCount)
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
    package let isComposite: Bool
  }

  package var row: Row {
    switch identifier {
    case .a128gcm: .gcm("A128GCM", keyByteCount: 16)
    case .a192gcm: .gcm("A192GCM", keyByteCount: 24)
    case .a256gcm: .gcm("A256GCM", keyByteCount: 32)
    case .a128cbcHS256: .composite("A128CBC-HS256", keyByteCount: 32)
    case .a192cbcHS384: .composite("A192CBC-HS384", keyByteCount: 48)
    case .a256cbcHS512: .composite("A256CBC-HS512", keyByteCount: 64)
    }
  }
}

extension ContentEncryptionAlgorithm.Row {
  fileprivate static func gcm(_ name: StaticString, keyByteCount: Int) -> Self {
    Self(
      name: name, keyByteCount: keyByteCount, initializationVectorByteCount: 12, authenticationTagByteCount: 16,
      isComposite: false)
  }

  /// Half of the key is for the code, which is cut to as many octets.
  fileprivate static func composite(_ name: StaticString, keyByteCount: Int) -> Self {
    Self(
      name: name, keyByteCount: keyByteCount, initializationVectorByteCount: 16,
      authenticationTagByteCount: keyByteCount / 2, isComposite: true)
  }
}

extension Curve {
  /// What is to be known of the curve outside its arithmetic.
  struct Row: Sendable {
    let name: String
    /// What verifying a signature or agreeing on a secret costs, in units of about a microsecond, rounded up from what
    /// `bench` measures without hardware kernels.
    let operationCost: Int
  }

  var row: Row {
    switch identifier {
    case .named(.p256): Row(name: "P-256", operationCost: 40)
    case .named(.p384): Row(name: "P-384", operationCost: 260)
    case .named(.p521): Row(name: "P-521", operationCost: 500)
    case .named(.secp256k1): Row(name: "secp256k1", operationCost: 200)
    case .ed25519: Row(name: "Ed25519", operationCost: 30)
    case .x25519: Row(name: "X25519", operationCost: 30)
    }
  }
}
