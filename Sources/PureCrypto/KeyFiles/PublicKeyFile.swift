/// What stands in the file of a public key. The key is a view of the bytes that were read.
struct PublicKeyFile {
  let algorithm: KeyAlgorithm
  /// An encoded point, the DER of an RSAPublicKey, or the bytes of a key on Curve25519, of ML-DSA or of ML-KEM.
  let key: UnsafeRawBufferPointer

  /// Reads SubjectPublicKeyInfo ::= SEQUENCE { AlgorithmIdentifier, BIT STRING }.
  /// - Parameter expected: the only algorithm that is of use, or `nil` for any.
  /// Source: RFC 5280 §4.1.2.7.
  init(spki bytes: UnsafeRawBufferPointer, _ expected: KeyAlgorithm? = nil) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    algorithm = try info.readKeyAlgorithm(expected)
    key = try info.readBitString()
    try info.finish()
  }

  /// Takes the DER of an RSAPublicKey.
  init(pkcs1 bytes: UnsafeRawBufferPointer) {
    algorithm = .rsa
    key = bytes
  }

  /// Reads a block that is labelled as a public key.
  init(_ label: PEMLabel, _ bytes: UnsafeRawBufferPointer, _ expected: KeyAlgorithm? = nil) throws(CryptoError) {
    if label == .rsaPublicKey { self.init(pkcs1: bytes) } else { try self.init(spki: bytes, expected) }
  }

  /// SubjectPublicKeyInfo in DER.
  static func spki(_ key: some Collection<UInt8>, _ algorithm: KeyAlgorithm) -> [UInt8] {
    var writer = DERWriter(capacity: key.count &+ 64)
    writer.constructed(.sequence) { info in
      info.algorithmIdentifier(algorithm)
      info.bitString(key)
    }
    return writer.bytes
  }

  /// A `PUBLIC KEY` block.
  static func pem(_ der: [UInt8]) -> String {
    PEMBlock(label: .publicKey, contents: SecretBytes(copying: der)).text
  }
}

extension PEMBlock {
  /// Reads one block with a public key, and calls `body` with what stands in it.
  static func withPublicKey<Result>(
    _ text: String, labels: [PEMLabel] = [.publicKey], _ expected: KeyAlgorithm? = nil,
    _ body: (PublicKeyFile) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    let block = try PEMBlock(text, labels: labels)
    return try block.contents.withUnsafeBytes { bytes throws(CryptoError) in
      try body(PublicKeyFile(block.label, bytes, expected))
    }
  }

  /// Reads one block with a private key, and calls `body` with what stands in it.
  static func withPrivateKey<Result>(
    _ text: String, labels: [PEMLabel] = [.privateKey], _ expected: KeyAlgorithm? = nil,
    _ body: (PrivateKeyFile) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    try PEMBlock(text, labels: labels).withPrivateKey(expected, body)
  }

  /// Calls `body` with what stands in a block that is labelled as a private key.
  func withPrivateKey<Result>(
    _ expected: KeyAlgorithm? = nil, _ body: (PrivateKeyFile) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    try contents.withUnsafeBytes { bytes throws(CryptoError) in
      switch label {
      case .ecPrivateKey:
        try body(PrivateKeyFile(sec1: bytes, named: namedCurve, expected))
      case .rsaPrivateKey:
        try body(PrivateKeyFile(pkcs1: bytes))
      default:
        try body(PrivateKeyFile(pkcs8: bytes, expected))
      }
    }
  }
}
