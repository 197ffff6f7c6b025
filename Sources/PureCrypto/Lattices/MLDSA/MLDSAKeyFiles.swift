// Key files of ML-DSA. Their object identifiers name the parameter set, so that a reader need not know it.

extension MLDSASigningKey {
  /// Reads a PKCS #8 PrivateKeyInfo with a seed.
  /// - Parameter bytes: strict DER, nothing after it. An expanded key beside the seed must be what the seed expands to,
  ///   and a public key inside must belong to it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, for an encrypted key and for an expanded key
  ///   without its seed, `.invalidPrivateKey`, `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, and then as ``init(_:seed:)``.
  /// Source: RFC 9881 §6.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try MLDSASigningKey(PrivateKeyFile(der: bytes))
    }
  }

  init(_ file: PrivateKeyFile) throws(CryptoError) {
    guard case .mlDSA(let parameterSet) = file.algorithm else {
      throw CryptoError(.unsupportedKey, "the key's algorithm must be ML-DSA")
    }
    try self.init(parameterSet, seed: SecretBytes(copying: file.key))
    try file.requireExpandedKey(expandedRepresentation)
    try file.requirePublicKeys(publicKey) { bytes throws(CryptoError) in
      try MLDSAVerificationKey(parameterSet, raw: bytes)
    }
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: as ``init(derRepresentation:)``.
  /// Source: RFC 7468 §10.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPrivateKey(text) { file throws(CryptoError) in try MLDSASigningKey(file) }
  }

  /// PKCS #8 PrivateKeyInfo in DER, with the seed alone: 54 bytes.
  public var derRepresentation: SecretBytes { PrivateKeyFile.pkcs8(.mlDSA(publicKey.parameterSet), seed: seed) }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  public var pemRepresentation: String { PrivateKeyFile.pem(derRepresentation) }
}

extension MLDSAVerificationKey {
  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPublicKey`.
  /// Source: RFC 9881 §4.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try MLDSAVerificationKey(PublicKeyFile(spki: bytes))
    }
  }

  private init(_ file: PublicKeyFile) throws(CryptoError) {
    guard case .mlDSA(let parameterSet) = file.algorithm else {
      throw CryptoError(.unsupportedKey, "the key's algorithm must be ML-DSA")
    }
    try self.init(parameterSet, raw: file.key)
  }

  /// Reads a `PUBLIC KEY` block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPublicKey(text) { file throws(CryptoError) in try MLDSAVerificationKey(file) }
  }

  /// SubjectPublicKeyInfo in DER: 22 bytes more than the key.
  public var derRepresentation: [UInt8] { PublicKeyFile.spki(rawRepresentation, .mlDSA(parameterSet)) }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String { PublicKeyFile.pem(derRepresentation) }
}

extension MLDSAParameterSet {
  /// The object identifier of keys and of signatures.
  /// Source: RFC 9881 §2.
  var objectIdentifier: DERObjectIdentifier {
    switch self {
    case .mlDSA44: .mlDSA(0x11)
    case .mlDSA65: .mlDSA(0x12)
    case .mlDSA87: .mlDSA(0x13)
    }
  }

  /// The parameter set of this object identifier's contents, or nil if they are another's.
  init?(objectIdentifier contents: some Sequence<UInt8>) {
    guard
      let match = MLDSAParameterSet.all.first(where: { $0.objectIdentifier.contents.elementsEqual(contents) })
    else { return nil }
    self = match
  }
}
