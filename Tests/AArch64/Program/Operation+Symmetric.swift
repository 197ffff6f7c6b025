import PureCrypto

// Hashes, codes, ciphers and key derivation besides those that every target is asked for.

extension Operation {
  /// Runs the operation, whether or not every target knows it.
  func anyResult() -> Result {
    let common = result()
    guard case .unknown = common else { return common }
    do throws(CryptoError) {
      if let octets = try symmetric() { return .octets(octets) }
      if let octets = try asymmetric() { return .octets(octets) }
      return .unknown
    } catch {
      return .refused
    }
  }

  /// The answer of an operation on secret keys, or nil if this is another one.
  func symmetric() throws(CryptoError) -> [UInt8]? {
    if isNamed("aes-encrypt", 2) { return try AES(key: arguments[0]).encryptBlocks(arguments[1]) }
    if isNamed("aes-decrypt", 2) { return try AES(key: arguments[0]).decryptBlocks(arguments[1]) }
    if isNamed("cbc-encrypt", 3) { return try chained(isEncrypting: true) }
    if isNamed("cbc-decrypt", 3) { return try chained(isEncrypting: false) }
    if isNamed("cbc-hmac-seal", 4) {
      let box = try AESCBCHMAC(key: secret(0)).seal(
        arguments[3], authenticating: arguments[2], initializationVector: arguments[1])
      return box.ciphertext + box.authenticationTag
    }
    if isNamed("cbc-hmac-open", 5) {
      return try AESCBCHMAC(key: secret(0)).open(
        ciphertext: arguments[3], authenticationTag: arguments[4], initializationVector: arguments[1],
        authenticating: arguments[2])
    }
    if isNamed("wrap", 2) { return try AESKeyWrap(key: secret(0)).wrap(secret(1)) }
    if isNamed("unwrap", 2) { return octets(try AESKeyWrap(key: secret(0)).unwrap(arguments[1])) }
    if isNamed("concat-kdf", 3) {
      return octets(
        try SharedSecret(secret(0)).concatKDFDerivedKey(otherInfo: arguments[1], bitCount: number(2)))
    }
    if isNamed("hkdf", 4) {
      let key = HKDFSHA2<SHA2.SHA256>.extract(inputKeyMaterial: secret(0), salt: arguments[1])
      return octets(
        try HKDFSHA2<SHA2.SHA256>.expand(pseudorandomKey: key, info: arguments[2], byteCount: number(3)))
    }
    if let answer = try hashing("sha256", SHA2.SHA256.self) { return answer }
    if let answer = try hashing("sha384", SHA2.SHA384.self) { return answer }
    return try hashing("sha512", SHA2.SHA512.self)
  }

  /// The argument as key material.
  func secret(_ index: Int) -> SecretBytes { SecretBytes(copying: arguments[index]) }

  /// The octets of a secret, which are published test data.
  func octets(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
  func octets(_ secret: SharedSecret) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  /// The argument as an integer, most significant octet first, modulo 2³².
  private func number(_ index: Int) -> Int {
    Int(arguments[index].reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
  }

  private func chained(isEncrypting: Bool) throws(CryptoError) -> [UInt8] {
    let cipher = try withContiguousBytes(arguments[0]) { key throws(CryptoError) in try AESCBC(key: key) }
    return try cipher.map(arguments[2], initializationVector: arguments[1], isEncrypting: isEncrypting)
  }

  /// What stands on a hash function of that name.
  private func hashing<Function: SHA2Function>(
    _ name: StaticString, _ function: Function.Type
  ) throws(CryptoError) -> [UInt8]? {
    if isNamed("hmac", name, 2) {
      return Array(HMACSHA2<Function>.authenticate(arguments[1], anyKey: arguments[0]))
    }
    if isNamed("pbkdf2", name, 4) {
      return octets(
        try PBKDF2<Function>.deriveKey(
          password: secret(0), salt: arguments[1], iterationCount: number(2), byteCount: number(3)))
    }
    if isNamed("rsa-pkcs1", name, 4) { return try verified(.pkcs1v15, function) }
    if isNamed("rsa-pss", name, 4) { return try verified(.pss, function) }
    return nil
  }

  private func verified<Function: SHA2Function>(
    _ padding: RSASignaturePadding, _ function: Function.Type
  ) throws(CryptoError) -> [UInt8] {
    let key = try AnyRSAPublicKey(modulus: arguments[0], exponent: arguments[1])
    return key.isValidSignature(arguments[3], for: arguments[2], padding: padding, function: function) ? [1] : [0]
  }
}
