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
    case .hs256: Row(name: "HS256", keyType: .oct, signatureByteCount: 32, minimumKeyByteCount: 32)
    case .rs256: Row(name: "RS256", keyType: .rsa)
    case .rs384: Row(name: "RS384", keyType: .rsa)
    case .rs512: Row(name: "RS512", keyType: .rsa)
    case .ps256: Row(name: "PS256", keyType: .rsa)
    case .ps384: Row(name: "PS384", keyType: .rsa)
    case .ps512: Row(name: "PS512", keyType: .rsa)
    }
  }
}

extension KeyManagementAlgorithm {
  /// What is to be known of the algorithm outside its arithmetic.
  package struct Row: Sendable {
    package let name: StaticString
    package let keyType: KeyType
    /// Whether the encrypted key is empty, because the recipient's key itself yields the content encryption key.
    package let isDirect: Bool
    /// Whether the sender makes an ephemeral key and `epk` must be present.
    package let usesEphemeralKey: Bool
  }

  package var row: Row {
    switch identifier {
    case .ecdhES: Row(name: "ECDH-ES", keyType: .ec, isDirect: true, usesEphemeralKey: true)
    case .dir: Row(name: "dir", keyType: .oct, isDirect: true, usesEphemeralKey: false)
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
  }

  package var row: Row {
    switch identifier {
    case .a128gcm:
      Row(name: "A128GCM", keyByteCount: 16, initializationVectorByteCount: 12, authenticationTagByteCount: 16)
    case .a192gcm:
      Row(name: "A192GCM", keyByteCount: 24, initializationVectorByteCount: 12, authenticationTagByteCount: 16)
    case .a256gcm:
      Row(name: "A256GCM", keyByteCount: 32, initializationVectorByteCount: 12, authenticationTagByteCount: 16)
    }
  }
}
