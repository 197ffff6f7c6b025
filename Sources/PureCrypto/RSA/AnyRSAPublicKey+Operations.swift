extension AnyRSAPublicKey {
  /// The RSA public operation: x^e mod n, which verifies a signature or encrypts an encoded message.
  /// - Parameter input: x, `byteCount` bytes, most significant first.
  /// - Parameter body: gets the result, `byteCount` bytes. Wiped afterwards.
  /// - Returns: `nil` when the length is another one, or x is not below n.
  ///
  /// Timing: depends on the key and on whether x < n, not on x.
  /// Source: RFC 8017 §5.1.1, §5.2.2.
  func withPower<Result>(
    of input: UnsafeRawBufferPointer, _ body: (UnsafeMutableRawBufferPointer) -> Result
  ) -> Result? {
    guard input.count == byteCount else { return nil }
    let count = limbCount
    // x, the result and 3 · count limbs to work in; then the result as bytes, which x has made room for.
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 5 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let x = room.baseAddress else { return nil }
      room.initialize(repeating: 0)
      let power = x + count
      LimbRun.load(x, count: count, bigEndian: input)
      guard withModulus({ n, _ in LimbRun.isLess(x, than: n.limbs, count: count) }).declassified else { return nil }
      self.power(power, x, power + count)
      let bytes = UnsafeMutableRawBufferPointer(start: x, count: byteCount)
      LimbRun.store(power, count: count, bigEndian: bytes)
      return body(bytes)
    }
  }
}

extension AnyRSAPublicKey {
  /// Encrypts a short message, such as a key, for the owner of the private key.
  /// - Parameter message: with a modulus of 2048 bits at most 214 bytes by OAEP-SHA-1, 190 by -SHA-256, 158 by
  ///   -SHA-384, 126 by -SHA-512.
  /// - Parameter padding: what the receiver expects: a ciphertext does not say which it is.
  /// - Returns: a ciphertext as long as the modulus.
  /// - Throws: `.lengthLimitExceeded` when the message is too long.
  ///
  /// Timing: depends on the lengths and on e, not on the message.
  /// Source: RFC 8017 §7.1.1.
  @inlinable
  package func encrypt(
    _ message: some Collection<UInt8>, padding: RSAEncryptionPadding
  ) throws(CryptoError) -> [UInt8] {
    try withContiguousBytes(message) { message throws(CryptoError) in
      try encrypt(message, padding: padding, label: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Encrypts a secret, such as a key.
  /// - Throws: `.lengthLimitExceeded` when it is too long.
  ///
  /// Timing: depends on the lengths and on e, not on the secret.
  package func encrypt(_ secret: SecretBytes, padding: RSAEncryptionPadding) throws(CryptoError) -> [UInt8] {
    try secret.withUnsafeBytes { secret throws(CryptoError) in
      try encrypt(secret, padding: padding, label: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// - Parameter label: empty in JOSE.
  @usableFromInline
  package func encrypt(
    _ message: UnsafeRawBufferPointer, padding: RSAEncryptionPadding, label: UnsafeRawBufferPointer
  ) throws(CryptoError) -> [UInt8] {
    guard message.count <= OAEPEncoding.maximumByteCount(modulusByteCount: byteCount, padding: padding) else {
      throw CryptoError(.lengthLimitExceeded, "the message is too long for the modulus")
    }
    let ciphertext: [UInt8]? = withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { encoded in
      defer { wipe(encoded) }
      OAEPEncoding(padding: padding, label: label).encode(message, into: encoded)
      return withPower(of: UnsafeRawBufferPointer(encoded)) { Array($0) }
    }
    // The first byte of the encoding is zero, that of the modulus is not: the encoding is always below.
    guard let ciphertext else { throw CryptoError(.invalidPublicKey, "the encoding is not below the modulus") }
    return ciphertext
  }
}

extension AnyRSAPublicKey {
  /// Whether `signature` is a valid signature of `message` by this key.
  /// - Parameter signature: exactly `byteCount` bytes.
  /// - Parameter message: the bytes that were signed.
  /// - Parameter padding: how the digest is encoded. It is never guessed from the signature.
  /// - Parameter function: the hash function, for instance `SHA2.SHA256.self`.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: RFC 8017 §8.1.2, §8.2.2.
  @inlinable
  package func isValidSignature<Function: SHA2Function>(
    _ signature: some Collection<UInt8>, for message: some Collection<UInt8>, padding: RSASignaturePadding,
    function: Function.Type
  ) -> Bool {
    isValidSignature(signature, forDigest: Function.hash(message), padding: padding, function: function)
  }

  /// Whether `signature` is a valid signature of the digest by this key.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: RFC 8017 §8.1.2, §8.2.2.
  @inlinable
  package func isValidSignature<Function: SHA2Function>(
    _ signature: some Collection<UInt8>, forDigest digest: Function.Digest, padding: RSASignaturePadding,
    function: Function.Type
  ) -> Bool {
    withContiguousBytes(signature) { signature in
      switch padding {
      case .pkcs1v15: isValidPKCS1Signature(signature, digest: digest, function: function)
      case .pss:
        isValidPSSSignature(
          signature, digest: digest, saltByteCount: Function.digestByteCount, function: function)
      }
    }
  }

  /// Builds the whole encoding that the digest must have and compares all of it. Nothing is parsed: a parser that was
  /// lenient about the padding let anybody forge signatures of keys with e = 3 (Bleichenbacher 2006).
  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  @usableFromInline
  func isValidPKCS1Signature<Function: SHA2Function>(
    _ signature: UnsafeRawBufferPointer, digest: Function.Digest, function: Function.Type
  ) -> Bool {
    withPower(of: signature) { encoded in
      withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { expected in
        PKCS1Encoding.encode(digest, into: expected)
        return ConstantTime.equal(UnsafeRawBufferPointer(encoded), UnsafeRawBufferPointer(expected))
      }
    } ?? false
  }

  /// - Parameter saltByteCount: 0 … 64. JOSE knows one length only, that of the digest.
  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  @usableFromInline
  package func isValidPSSSignature<Function: SHA2Function>(
    _ signature: UnsafeRawBufferPointer, digest: Function.Digest, saltByteCount: Int, function: Function.Type
  ) -> Bool {
    withPower(of: signature) { encoded in
      PSSEncoding.isValidVariableTime(
        encoded, digest: digest, saltByteCount: saltByteCount, function: function, modulusBitCount: bitCount)
    } ?? false
  }
}
