/// A private key that is encrypted with a password, by PBES2 with PBKDF2 and AES-CBC. Nothing has been derived yet.
///
/// Source: RFC 5958 §3, RFC 8018 §6.2 and §A.
package struct EncryptedPrivateKeyFile: Sendable {
  /// The function of HMAC in PBKDF2.
  private enum Function: Sendable {
    case sha1, sha256, sha384, sha512
  }

  private let function: Function
  private let salt: [UInt8]
  private let iterationCount: Int
  private let keyByteCount: Int
  private let initializationVector: SIMD2<UInt64>
  private let ciphertext: [UInt8]

  /// Reads EncryptedPrivateKeyInfo ::= SEQUENCE { AlgorithmIdentifier, OCTET STRING }.
  package init(_ bytes: UnsafeRawBufferPointer, maximumIterationCount: Int) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    var scheme = try info.read(.sequence)
    guard try scheme.readObjectIdentifier(.pbes2) else {
      throw CryptoError(.unsupportedKey, "the key is not encrypted by PBES2")
    }
    // PBES2-params ::= SEQUENCE { keyDerivationFunc, encryptionScheme }
    var parameters = try scheme.read(.sequence)
    try scheme.finish()
    var derivation = try parameters.read(.sequence)
    var cipher = try parameters.read(.sequence)
    try parameters.finish()
    ciphertext = Array(try info.read(.octetString).bytes)
    try info.finish()

    guard try derivation.readObjectIdentifier(.pbkdf2) else {
      throw CryptoError(.unsupportedKey, "the key of the encryption is not derived by PBKDF2")
    }
    // PBKDF2-params ::= SEQUENCE { salt, iterationCount, keyLength OPTIONAL, prf DEFAULT hmacWithSHA1 }
    var work = try derivation.read(.sequence)
    try derivation.finish()
    salt = Array(try work.read(.octetString).bytes)
    let iterations = try work.readUnsignedInteger()
    let statedLength = work.isNext(.integer) ? try work.readSmallInteger() : nil
    function = try work.readOptional(.sequence).map { reader throws(CryptoError) in try Self.function(reader) } ?? .sha1
    try work.finish()

    keyByteCount = try Self.keyByteCount(&cipher)
    let vector = try cipher.read(.octetString).bytes
    try cipher.finish()
    guard (8...64).contains(salt.count), vector.count == 16, !ciphertext.isEmpty, ciphertext.count & 15 == 0,
      statedLength == nil || statedLength.map(Int.init) == keyByteCount
    else {
      throw CryptoError(.malformedDER, "a salt, vector, ciphertext or length doesn't fit the scheme")
    }
    initializationVector = vector.loadUnaligned(as: SIMD2<UInt64>.self)
    guard iterations.count <= 4, !iterations.isEmpty else {
      throw CryptoError(.lengthLimitExceeded, "there are no iterations, or more than are accepted")
    }
    let count = iterations.reduce(UInt64(0)) { $0 &<< 8 | UInt64($1) }
    guard count <= UInt64(max(0, maximumIterationCount)) else {
      throw CryptoError(.lengthLimitExceeded, "there are more iterations than are accepted")
    }
    iterationCount = Int(truncatingIfNeeded: count)
  }

  /// 1.2.840.113549.2.7 and 9 to 11, hmacWithSHA1, hmacWithSHA256 and its kin, with NULL. Java writes the default out;
  /// it is read.
  private static func function(_ reader: DERReader) throws(CryptoError) -> Function {
    var identifier = reader
    let name = try identifier.readObjectIdentifierContents()
    try identifier.read(.null).finish()
    try identifier.finish()
    let prefix: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02]
    switch name {
    case prefix + [0x07]: return .sha1
    case prefix + [0x09]: return .sha256
    case prefix + [0x0a]: return .sha384
    case prefix + [0x0b]: return .sha512
    default: throw CryptoError(.unsupportedKey, "the function of PBKDF2 is not supported")
    }
  }

  /// 2.16.840.1.101.3.4.1.2, 22 and 42: AES-CBC with 128, 192 and 256 bits.
  private static func keyByteCount(_ cipher: inout DERReader) throws(CryptoError) -> Int {
    let name = try cipher.readObjectIdentifierContents()
    let prefix: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01]
    switch name {
    case prefix + [0x02]: return 16
    case prefix + [0x16]: return 24
    case prefix + [0x2a]: return 32
    default: throw CryptoError(.unsupportedKey, "the cipher of the encrypted key is not supported")
    }
  }

  /// Derives, decrypts and reads the key.
  /// - Throws: `.decryptionFailed`.
  func privateKey(password: SecretBytes) throws(CryptoError) -> PrivateKey {
    let info = try decrypted(password: password)
    do throws(CryptoError) {
      return try info.withUnsafeBytes { bytes throws(CryptoError) in try PrivateKey(PrivateKeyFile(pkcs8: bytes)) }
    } catch {
      // One password in 256 gives a padding by chance. And nothing authenticates a file: a changed bit of the vector
      // changes the same bit of the algorithm's name, and an error of its own would tell what the name has become.
      throw Self.failed
    }
  }

  /// Derives and decrypts: PrivateKeyInfo, if the password is right.
  /// - Throws: `.decryptionFailed`.
  ///
  /// Timing: depends on lengths, on the number of iterations, on whether the padding is right and then on its length.
  package func decrypted(password: SecretBytes) throws(CryptoError) -> SecretBytes {
    let cipher = try derivedKey(password: password).withUnsafeBytes { key throws(CryptoError) in try AESCBC(key: key) }
    let padded = SecretBytes(count: ciphertext.count) { output in
      ciphertext.withUnsafeBytes { cipher.decrypt($0, to: output, initializationVector: initializationVector) }
    }
    return try padded.withUnsafeBytes { padded throws(CryptoError) in
      let padding = BlockPadding(lastBlockOf: padded)
      guard padding.isValid.declassified else { throw Self.failed }
      // The length of the key's encoding, which is public.
      let paddingCount = Int(truncatingIfNeeded: declassified(padding.count, bitCount: 5))
      return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: padded.dropLast(paddingCount)))
    }
  }

  private func derivedKey(password: SecretBytes) throws(CryptoError) -> SecretBytes {
    switch function {
    case .sha1:
      try PBKDF2SHA1.deriveKey(
        password: password, salt: salt, iterationCount: iterationCount, byteCount: keyByteCount)
    case .sha256:
      try PBKDF2<SHA2.SHA256>.deriveKey(
        password: password, salt: salt, iterationCount: iterationCount, byteCount: keyByteCount)
    case .sha384:
      try PBKDF2<SHA2.SHA384>.deriveKey(
        password: password, salt: salt, iterationCount: iterationCount, byteCount: keyByteCount)
    case .sha512:
      try PBKDF2<SHA2.SHA512>.deriveKey(
        password: password, salt: salt, iterationCount: iterationCount, byteCount: keyByteCount)
    }
  }

  private static var failed: CryptoError {
    CryptoError(
      .decryptionFailed, "the password is wrong, or the key file is damaged or holds a key that is not supported")
  }
}
