// Key files of ML-KEM. Their object identifiers name the parameter set, so that a reader need not know it. Hybrids have
// no such files.

extension MLKEMPrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo with a seed.
  /// - Parameter bytes: strict DER, nothing after it. An expanded key beside the seed must be what the seed expands to,
  ///   and a public key inside must belong to it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, for an encrypted key and for an expanded key
  ///   without its seed, `.invalidPrivateKey`, `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, and then as ``init(_:seed:)``.
  /// Source: RFC 9935 §6.
  package init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try MLKEMPrivateKey(PrivateKeyFile(der: bytes))
    }
  }

  init(_ file: PrivateKeyFile) throws(CryptoError) {
    guard case .mlKEM(let parameterSet) = file.algorithm else {
      throw CryptoError(.unsupportedKey, "the key's algorithm must be ML-KEM")
    }
    try self.init(parameterSet, seed: SecretBytes(copying: file.key))
    try file.requireExpandedKey(expanded.expandedRepresentation)
    try file.requirePublicKeys(publicKey) { bytes throws(CryptoError) in try MLKEMPublicKey(parameterSet, raw: bytes) }
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: as ``init(derRepresentation:)``.
  /// Source: RFC 7468 §10.
  package init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPrivateKey(text) { file throws(CryptoError) in try MLKEMPrivateKey(file) }
  }

  /// PKCS #8 PrivateKeyInfo in DER, with the seed alone: 86 bytes.
  package var derRepresentation: SecretBytes { PrivateKeyFile.pkcs8(.mlKEM(publicKey.parameterSet), seed: seed) }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  package var pemRepresentation: String { PrivateKeyFile.pem(derRepresentation) }
}

extension MLKEMPublicKey {
  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPublicKey`.
  /// Source: RFC 9935 §4.
  package init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try MLKEMPublicKey(PublicKeyFile(spki: bytes))
    }
  }

  private init(_ file: PublicKeyFile) throws(CryptoError) {
    guard case .mlKEM(let parameterSet) = file.algorithm else {
      throw CryptoError(.unsupportedKey, "the key's algorithm must be ML-KEM")
    }
    try self.init(parameterSet, raw: file.key)
  }

  /// Reads a `PUBLIC KEY` block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  package init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPublicKey(text) { file throws(CryptoError) in try MLKEMPublicKey(file) }
  }

  /// SubjectPublicKeyInfo in DER: 22 bytes more than the key.
  package var derRepresentation: [UInt8] { PublicKeyFile.spki(rawRepresentation, .mlKEM(parameterSet)) }

  /// A `PUBLIC KEY` block.
  package var pemRepresentation: String { PublicKeyFile.pem(derRepresentation) }
}

extension LatticeKEMPublicKey {
  /// A key of ML-KEM alone.
  init(_ key: MLKEMPublicKey) {
    self.init(key.parameterSet == .mlKEM768 ? .mlKEM768 : .mlKEM1024, key, point: [])
  }

  /// SubjectPublicKeyInfo in DER, of ML-KEM alone.
  var derRepresentation: [UInt8]? { kem.hybrid == nil ? lattice.derRepresentation : nil }
}

extension LatticeKEMPrivateKey {
  /// A key of ML-KEM alone.
  /// - Throws: nothing, for a seed of this length.
  init(_ key: MLKEMPrivateKey) throws(CryptoError) {
    try self.init(key.publicKey.parameterSet == .mlKEM768 ? .mlKEM768 : .mlKEM1024, seed: key.seed)
  }

  /// PKCS #8 PrivateKeyInfo in DER with the seed, of ML-KEM alone.
  var derRepresentation: SecretBytes? {
    kem.hybrid == nil ? PrivateKeyFile.pkcs8(.mlKEM(kem.parameterSet), seed: seed) : nil
  }
}

extension MLKEMParameterSet {
  /// The object identifier of keys.
  /// Source: RFC 9935 §3.
  var objectIdentifier: DERObjectIdentifier { self == .mlKEM768 ? .mlKEM(0x02) : .mlKEM(0x03) }

  /// The parameter set of this object identifier's contents, or nil if they are another's.
  init?(objectIdentifier contents: some Sequence<UInt8>) {
    guard
      let match = [MLKEMParameterSet.mlKEM768, .mlKEM1024]
        .first(where: { $0.objectIdentifier.contents.elementsEqual(contents) })
    else { return nil }
    self = match
  }
}
