extension RSAPrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo or a PKCS #1 RSAPrivateKey with two primes.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or more than two primes, `.invalidPrivateKey` when
  ///   the integers do not belong together, and what ``RSAPublicKey/init(modulus:exponent:)`` throws.
  ///
  /// Timing: depends on the structure and on lengths, not on the private integers.
  /// Source: RFC 5958 §2, RFC 8017 §A.1.2.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try RSAPrivateKey(der: bytes) }
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    // Both begin with a version. Then PKCS #8 has an AlgorithmIdentifier, PKCS #1 the modulus.
    var outer = DERReader(bytes)
    var contents = try outer.read(.sequence)
    _ = try contents.readSmallInteger()
    if contents.isNext(.sequence) { try self.init(pkcs8: bytes) } else { try self.init(pkcs1: bytes) }
  }

  /// PrivateKeyInfo ::= SEQUENCE { version 0, AlgorithmIdentifier, OCTET STRING { RSAPrivateKey }, [0] attributes OPTIONAL }.
  init(pkcs8 bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    guard try info.readSmallInteger() == 0 else {
      throw CryptoError(.malformedDER, "the version is not that of a private key")
    }
    try info.readRSAAlgorithmIdentifier()
    let privateKey = try info.read(.octetString).bytes
    _ = try info.readOptional(.constructed(0))
    try info.finish()
    try self.init(pkcs1: privateKey)
  }

  /// RSAPrivateKey ::= SEQUENCE { version 0, n, e, d, p, q, dp, dq, qi }.
  init(pkcs1 bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var key = try outer.read(.sequence)
    try outer.finish()
    guard try key.readSmallInteger() == 0 else {
      throw CryptoError(.unsupportedKey, "the key has more than two primes")
    }
    let publicKey = try RSAPublicKey(n: try key.readUnsignedInteger(), e: try key.readUnsignedInteger())
    let d = try key.readUnsignedInteger()
    let factors = RSAPrivateNumbers.Factors(
      p: try key.readUnsignedInteger(), q: try key.readUnsignedInteger(), dp: try key.readUnsignedInteger(),
      dq: try key.readUnsignedInteger(), qi: try key.readUnsignedInteger())
    try key.finish()
    try self.init(publicKey: publicKey, RSAPrivateNumbers(d: d, factors: factors))
  }

  /// PKCS #8 PrivateKeyInfo in DER, or `nil` for a key without its prime factors, which has no such form.
  ///
  /// Timing: depends on the numbers of leading zeros, which the encoding shows.
  public var derRepresentation: SecretBytes? {
    guard let factors else { return nil }
    // Nine integers of four and a half times the modulus's length in all, and what surrounds them.
    var writer = DERWriter(capacity: publicKey.byteCount &* 5 &+ 256)
    writer.constructed(.sequence) { info in
      info.primitive(.integer, [0])
      info.rsaAlgorithmIdentifier()
      info.constructed(.octetString) { wrapped in
        wrapped.constructed(.sequence) { key in
          key.primitive(.integer, [0])
          key.unsignedInteger(publicKey.modulus)
          key.unsignedInteger(publicKey.publicExponent)
          exponentBytes.withUnsafeBytes { key.secretUnsignedInteger($0) }
          factors.withNumbers { numbers in
            for number in [numbers.p, numbers.q, numbers.dp, numbers.dq, numbers.qi] {
              key.secretUnsignedInteger(number)
            }
          }
        }
      }
    }
    return writer.takeSecret()
  }
}
