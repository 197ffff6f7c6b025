import PureCrypto

/// A content encryption key made ready for its algorithm.
enum ContentCipher: Sendable {
  case gcm(AESGCM)
  case composite(AESCBCHMAC)

  /// - Throws: ``ErrorCode/keyInvalid`` if the key has another length than the algorithm's.
  init(key: SecretBytes, for algorithm: ContentEncryptionAlgorithm) throws(JOSEError) {
    let invalid = JOSEError(
      .keyInvalid, "the length of the key is not that of the content encryption algorithm", name: "k")
    guard key.count == algorithm.row.keyByteCount else { throw invalid }
    if algorithm.row.isComposite {
      guard let cipher = try? AESCBCHMAC(key: key) else { throw invalid }
      self = .composite(cipher)
    } else {
      guard let cipher = try? AESGCM(key: key) else { throw invalid }
      self = .gcm(cipher)
    }
  }

  /// An encrypted content.
  struct Sealed: Sendable {
    let initializationVector: [UInt8]
    let ciphertext: [UInt8]
    let authenticationTag: [UInt8]
  }

  /// Encrypts under a fresh initialization vector.
  ///
  /// - Throws: ``ErrorCode/keyMismatch`` if the key has encrypted as often as it may, or the plaintext is too long.
  func seal(
    _ plaintext: some Collection<UInt8>, authenticating text: [UInt8]
  ) throws(JOSEError) -> Sealed {
    switch self {
    case .gcm(let cipher):
      guard let sealed = try? cipher.seal(plaintext, authenticating: text) else { throw Self.exhausted }
      return Sealed(
        initializationVector: Array(sealed.initializationVector), ciphertext: sealed.ciphertext,
        authenticationTag: sealed.authenticationTag)
    case .composite(let cipher):
      let vector = SystemRandom.bytes(count: AESCBCHMAC.initializationVectorByteCount)
      guard let sealed = try? cipher.seal(plaintext, authenticating: text, initializationVector: vector) else {
        throw Self.exhausted
      }
      return Sealed(
        initializationVector: vector, ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag)
    }
  }

  /// The plaintext, or nil if the content is not authentic.
  func open(_ sealed: Sealed, authenticating text: [UInt8]) -> [UInt8]? {
    switch self {
    case .gcm(let cipher):
      try? cipher.open(
        ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag,
        initializationVector: AESGCM.InitializationVector(sealed.initializationVector), authenticating: text)
    case .composite(let cipher):
      try? cipher.open(
        ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag,
        initializationVector: sealed.initializationVector, authenticating: text)
    }
  }

  static var exhausted: JOSEError {
    JOSEError(.keyMismatch, "the key has encrypted as often as it may, or the plaintext is too long")
  }
}
