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
    package let mechanism: Mechanism

    init(_ name: StaticString, _ mechanism: Mechanism) { (self.name, self.mechanism) = (name, mechanism) }
  }

  /// How the recipient's key and the content encryption key belong together. Whatever differs by kind asks here.
  package enum Mechanism: Sendable {
    /// The shared symmetric key is the content encryption key.
    case direct
    /// A symmetric key of this length encrypts the content encryption key, or one that is made from a password.
    case symmetric(Wrapping, keyByteCount: Int)
    /// The recipient's RSA key encrypts the content encryption key.
    case rsaOAEP
    /// ECDH with an ephemeral key of the sender's. The agreed key wraps the content encryption key where it has a
    /// length, and is that key where it is nil.
    case agreement(wrappingKeyByteCount: Int?)
    /// HPKE encrypts the content itself, and there is neither a content encryption key nor an `enc`.
    case hpke(HPKE.Ciphersuite)
    /// HPKE encrypts the content encryption key.
    case hpkeKeyEncryption(HPKE.Ciphersuite)
  }

  package enum Wrapping: Sendable {
    case aesKeyWrap
    case aesGCM
    /// AES Key Wrap with a key made from a password.
    case password
  }

  package var row: Row {
    switch identifier {
    case .ecdhES: Row("ECDH-ES", .agreement(wrappingKeyByteCount: nil))
    case .ecdhESA128KW: Row("ECDH-ES+A128KW", .agreement(wrappingKeyByteCount: 16))
    case .ecdhESA192KW: Row("ECDH-ES+A192KW", .agreement(wrappingKeyByteCount: 24))
    case .ecdhESA256KW: Row("ECDH-ES+A256KW", .agreement(wrappingKeyByteCount: 32))
    case .rsaOAEP: Row("RSA-OAEP", .rsaOAEP)
    case .rsaOAEP256: Row("RSA-OAEP-256", .rsaOAEP)
    case .rsaOAEP384: Row("RSA-OAEP-384", .rsaOAEP)
    case .rsaOAEP512: Row("RSA-OAEP-512", .rsaOAEP)
    case .dir: Row("dir", .direct)
    case .a128kw: Row("A128KW", .symmetric(.aesKeyWrap, keyByteCount: 16))
    case .a192kw: Row("A192KW", .symmetric(.aesKeyWrap, keyByteCount: 24))
    case .a256kw: Row("A256KW", .symmetric(.aesKeyWrap, keyByteCount: 32))
    case .a128gcmKW: Row("A128GCMKW", .symmetric(.aesGCM, keyByteCount: 16))
    case .a192gcmKW: Row("A192GCMKW", .symmetric(.aesGCM, keyByteCount: 24))
    case .a256gcmKW: Row("A256GCMKW", .symmetric(.aesGCM, keyByteCount: 32))
    case .pbes2HS256A128KW: Row("PBES2-HS256+A128KW", .symmetric(.password, keyByteCount: 16))
    case .pbes2HS384A192KW: Row("PBES2-HS384+A192KW", .symmetric(.password, keyByteCount: 24))
    case .pbes2HS512A256KW: Row("PBES2-HS512+A256KW", .symmetric(.password, keyByteCount: 32))
    case .hpke0: Row("HPKE-0", .hpke(.p256SHA256AES128GCM))
    case .hpke1: Row("HPKE-1", .hpke(.p384SHA384AES256GCM))
    case .hpke2: Row("HPKE-2", .hpke(.p521SHA512AES256GCM))
    case .hpke3: Row("HPKE-3", .hpke(.x25519SHA256AES128GCM))
    case .hpke4: Row("HPKE-4", .hpke(.x25519SHA256ChaChaPoly))
    case .hpke7: Row("HPKE-7", .hpke(.p256SHA256AES256GCM))
    case .hpke8: Row("HPKE-8", .hpke(.mlKEM768P256SHAKE256AES256GCM))
    case .hpke9: Row("HPKE-9", .hpke(.mlKEM768X25519SHAKE256AES256GCM))
    case .hpke10: Row("HPKE-10", .hpke(.mlKEM1024P384SHAKE256AES256GCM))
    case .hpke12: Row("HPKE-12", .hpke(.mlKEM768SHAKE256AES256GCM))
    case .hpke13: Row("HPKE-13", .hpke(.mlKEM1024SHAKE256AES256GCM))
    case .hpke0KE: Row("HPKE-0-KE", .hpkeKeyEncryption(.p256SHA256AES128GCM))
    case .hpke1KE: Row("HPKE-1-KE", .hpkeKeyEncryption(.p384SHA384AES256GCM))
    case .hpke2KE: Row("HPKE-2-KE", .hpkeKeyEncryption(.p521SHA512AES256GCM))
    case .hpke3KE: Row("HPKE-3-KE", .hpkeKeyEncryption(.x25519SHA256AES128GCM))
    case .hpke4KE: Row("HPKE-4-KE", .hpkeKeyEncryption(.x25519SHA256ChaChaPoly))
    case .hpke7KE: Row("HPKE-7-KE", .hpkeKeyEncryption(.p256SHA256AES256GCM))
    case .hpke8KE: Row("HPKE-8-KE", .hpkeKeyEncryption(.mlKEM768P256SHAKE256AES256GCM))
    case .hpke9KE: Row("HPKE-9-KE", .hpkeKeyEncryption(.mlKEM768X25519SHAKE256AES256GCM))
    case .hpke10KE: Row("HPKE-10-KE", .hpkeKeyEncryption(.mlKEM1024P384SHAKE256AES256GCM))
    case .hpke12KE: Row("HPKE-12-KE", .hpkeKeyEncryption(.mlKEM768SHAKE256AES256GCM))
    case .hpke13KE: Row("HPKE-13-KE", .hpkeKeyEncryption(.mlKEM1024SHAKE256AES256GCM))
    }
  }

  /// Whether the algorithm is one for keys of this type and curve.
  func takes(_ key: JWK) -> Bool {
    switch row.mechanism {
    case .direct, .symmetric: key.keyType == .oct
    case .rsaOAEP: key.keyType == .rsa
    case .agreement: key.curve?.isForAgreement ?? false
    case .hpke(let suite), .hpkeKeyEncryption(let suite): key.material.publicKey?.kem == suite.kem
    }
  }

  /// What a private key must be allowed to do.
  var privateOperation: KeyOperation {
    switch row.mechanism {
    case .direct: .decrypt
    case .symmetric, .rsaOAEP: .decryptKey
    case .agreement: .deriveKey
    case .hpke: .decapsulate
    case .hpkeKeyEncryption: .decapsulateKey
    }
  }

  /// What a public key must be allowed to do.
  var publicOperation: KeyOperation {
    switch row.mechanism {
    case .direct: .encrypt
    case .symmetric, .rsaOAEP: .encryptKey
    case .agreement: .deriveKey
    case .hpke: .encapsulate
    case .hpkeKeyEncryption: .encapsulateKey
    }
  }
}

extension KeyManagementAlgorithm.Row {
  /// Whether the message has a single recipient, because the recipient's key itself yields what encrypts the content.
  package var isForOneRecipient: Bool {
    switch mechanism {
    case .direct, .agreement(wrappingKeyByteCount: nil), .hpke: true
    case .symmetric, .rsaOAEP, .agreement, .hpkeKeyEncryption: false
    }
  }

  /// Whether the encrypted key is empty, because there is nothing to be sent.
  package var hasNoEncryptedKey: Bool { isForOneRecipient && !isIntegrated }

  /// Whether HPKE encrypts the content itself.
  package var isIntegrated: Bool {
    guard case .hpke = mechanism else { return false }
    return true
  }

  /// The suite, of an algorithm with HPKE.
  package var suite: HPKE.Ciphersuite? {
    switch mechanism {
    case .hpke(let suite), .hpkeKeyEncryption(let suite): suite
    case .direct, .symmetric, .rsaOAEP, .agreement: nil
    }
  }

  /// Whether a public key that lists no operation at all may not encrypt.
  var needsPublicOperation: Bool {
    switch mechanism {
    case .direct, .symmetric, .rsaOAEP: true
    case .agreement, .hpke, .hpkeKeyEncryption: false
    }
  }

  /// Whether a quantum computer is known to find the content encryption key: the recipient's key is one of RSA or on a
  /// curve, and the private half can be computed.
  var yieldsToQuantumComputers: Bool {
    switch mechanism {
    case .direct, .symmetric: false
    case .rsaOAEP, .agreement: true
    case .hpke(let suite), .hpkeKeyEncryption(let suite): LatticeKEM(suite.kem) == nil
    }
  }

  /// Whether the algorithm has ML-KEM in it.
  var hasLattice: Bool { suite != nil && !yieldsToQuantumComputers }

  /// Whether keys agree by ECDH, and `epk` must be present.
  package var isAgreement: Bool {
    guard case .agreement = mechanism else { return false }
    return true
  }

  /// How a symmetric key encrypts the content encryption key, if one does.
  package var wrapping: KeyManagementAlgorithm.Wrapping? {
    guard case .symmetric(let wrapping, _) = mechanism else { return nil }
    return wrapping
  }

  /// The length of the key that wraps the content encryption key, where a symmetric one does or an agreed one.
  package var wrappingKeyByteCount: Int? {
    switch mechanism {
    case .symmetric(_, let count): count
    case .agreement(let count): count
    case .direct, .rsaOAEP, .hpke, .hpkeKeyEncryption: nil
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
