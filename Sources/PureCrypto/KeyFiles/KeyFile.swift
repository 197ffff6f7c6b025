/// The key in a key file: the label of PEM says what kind of file it is, the tags of DER say as much, and an object
/// identifier names algorithm and curve. Nothing is tried.
package enum KeyFile: Sendable {
  case publicKey(PublicKey)
  case privateKey(PrivateKey)

  /// Reads PEM text with one key: `PUBLIC KEY` (SPKI), `PRIVATE KEY` (PKCS #8), `EC PRIVATE KEY` (SEC 1),
  /// `RSA PUBLIC KEY` or `RSA PRIVATE KEY` (PKCS #1).
  /// - Parameter text: one key. Text may stand around it, `EC PARAMETERS` before an elliptic curve key, and
  ///   certificates beside a private key.
  /// - Throws: `.malformedPEM`, `.malformedDER`, `.unsupportedKey` for what is not supported, encrypted keys and
  ///   id-RSASSA-PSS among it, `.invalidPublicKey`, `.invalidPrivateKey`, `.invalidKeyLength`.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468.
  package init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.publicKey, .privateKey, .ecPrivateKey, .rsaPublicKey, .rsaPrivateKey])
    switch block.label {
    case .publicKey, .rsaPublicKey:
      self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in
        .publicKey(try PublicKey(PublicKeyFile(block.label, bytes)))
      }
    default:
      self = try block.withPrivateKey { file throws(CryptoError) in .privateKey(try PrivateKey(file)) }
    }
  }

  /// Reads DER: SPKI, PKCS #8, SEC 1 or PKCS #1.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: as ``init(pemRepresentation:)``, except for `.malformedPEM`.
  ///
  /// Timing: depends on the structure, not on the key.
  package init(derRepresentation bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.first != UInt8(ascii: "-") else {
      throw CryptoError(.malformedDER, "this is PEM text, not DER: read it as pemRepresentation")
    }
    var outer = DERReader(bytes)
    let contents = try outer.read(.sequence)
    // SPKI begins with an AlgorithmIdentifier, RSAPublicKey is two integers, and everything private begins with a
    // version.
    if contents.isNext(.sequence) {
      try PrivateKeyFile.requireNotEncrypted(bytes)
      self = .publicKey(try PublicKey(PublicKeyFile(spki: bytes)))
    } else if try contents.isTwoIntegers {
      self = .publicKey(.rsa(try AnyRSAPublicKey(pkcs1: bytes)))
    } else {
      self = .privateKey(try PrivateKey(PrivateKeyFile(der: bytes)))
    }
  }
}

extension KeyFile {
  /// Reads PEM text with one encrypted private key: `ENCRYPTED PRIVATE KEY`, a PKCS #8 EncryptedPrivateKeyInfo of PBES2
  /// with PBKDF2 and AES-CBC.
  /// - Parameter text: one key. Text and certificates may stand around it.
  /// - Parameter password: its octets, UTF-8 as a rule. Secret.
  /// - Parameter maximumIterationCount: more iterations of PBKDF2 are refused before any of them is run.
  /// - Throws: `.malformedPEM`, `.malformedDER`, `.unsupportedKey` for another scheme, `.lengthLimitExceeded` for too
  ///   many iterations, and `.decryptionFailed` for a wrong password as for anything else that is wrong inside, a key
  ///   that is not supported among it.
  ///
  /// Timing: depends on lengths and on the number of iterations, on whether the password is right, and then as reading
  /// the key does.
  /// Source: RFC 5958 §3, RFC 8018 §6.2.
  package init(
    encryptedPEMRepresentation text: String, password: SecretBytes, maximumIterationCount: Int
  ) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.encryptedPrivateKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in
      try KeyFile(
        encryptedDERRepresentation: bytes, password: password, maximumIterationCount: maximumIterationCount)
    }
  }

  /// Reads the DER of an encrypted private key.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: as ``init(encryptedPEMRepresentation:password:maximumIterationCount:)``, except for `.malformedPEM`.
  package init(
    encryptedDERRepresentation bytes: UnsafeRawBufferPointer, password: SecretBytes, maximumIterationCount: Int
  ) throws(CryptoError) {
    let file = try EncryptedPrivateKeyFile(bytes, maximumIterationCount: maximumIterationCount)
    self = .privateKey(try file.privateKey(password: password))
  }
}

extension DERReader {
  /// Whether what has not been read is two integers, and nothing else.
  fileprivate var isTwoIntegers: Bool {
    get throws(CryptoError) {
      var reader = self
      guard reader.isNext(.integer) else { return false }
      _ = try reader.read(.integer)
      guard reader.isNext(.integer) else { return false }
      _ = try reader.read(.integer)
      return reader.bytes.isEmpty
    }
  }
}
