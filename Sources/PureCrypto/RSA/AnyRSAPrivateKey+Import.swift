extension AnyRSAPrivateKey {
  /// Reads the integers of a key with two primes, each most significant byte first, as RFC 7518 §6.3.2 names them.
  /// - Throws: `.invalidPrivateKey` when an integer is out of range, or they do not belong together.
  ///
  /// Timing: depends on lengths, and on whether the key is sound.
  package init(
    publicKey: AnyRSAPublicKey, d: SecretBytes, p: SecretBytes, q: SecretBytes, dp: SecretBytes, dq: SecretBytes,
    qi: SecretBytes
  ) throws(CryptoError) {
    self = try d.withUnsafeBytes { d throws(CryptoError) in
      try p.withUnsafeBytes { p throws(CryptoError) in
        try q.withUnsafeBytes { q throws(CryptoError) in
          try dp.withUnsafeBytes { dp throws(CryptoError) in
            try dq.withUnsafeBytes { dq throws(CryptoError) in
              try qi.withUnsafeBytes { qi throws(CryptoError) in
                try AnyRSAPrivateKey(
                  publicKey: publicKey,
                  RSAPrivateNumbers(d: d, factors: .init(p: p, q: q, dp: dp, dq: dq, qi: qi)))
              }
            }
          }
        }
      }
    }
  }

  /// Reads a key without its prime factors.
  /// - Throws: `.invalidPrivateKey` when d is out of range or another key's.
  ///
  /// Timing: depends on lengths, and on whether the key is sound.
  package init(publicKey: AnyRSAPublicKey, d: SecretBytes) throws(CryptoError) {
    self = try d.withUnsafeBytes { d throws(CryptoError) in
      try AnyRSAPrivateKey(publicKey: publicKey, RSAPrivateNumbers(d: d, factors: nil))
    }
  }

  /// The private integers, most significant byte first, without leading zeros.
  package struct Numbers: Sendable {
    /// The private exponent.
    package let d: SecretBytes
    /// p, q, dp, dq and qi, or none of them.
    package let factors: [SecretBytes]
  }

  /// The private integers, for export.
  package var numbers: Numbers {
    let factors = factors.map { factors in
      factors.withNumbers { numbers in
        [numbers.p, numbers.q, numbers.dp, numbers.dq, numbers.qi].map { AnyRSAPrivateKey.withoutLeadingZeros($0) }
      }
    }
    return Numbers(
      d: exponentBytes.withUnsafeBytes { AnyRSAPrivateKey.withoutLeadingZeros($0) }, factors: factors ?? [])
  }

  /// A number as encodings hold it. How long it is, everybody can see there.
  private static func withoutLeadingZeros(_ number: UnsafeRawBufferPointer) -> SecretBytes {
    SecretBytes(
      copying: UnsafeRawBufferPointer(rebasing: number.suffix(LimbRun.significantByteCount(number).declassified)))
  }
}

extension AnyRSAPrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo or a PKCS #1 RSAPrivateKey with two primes.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or more than two primes, `.invalidPrivateKey`
  ///   when the integers do not belong together, and what ``AnyRSAPublicKey/init(modulus:exponent:)`` throws.
  ///
  /// Timing: depends on the structure and on lengths, not on the private integers.
  /// Source: RFC 5958 §2, RFC 8017 §A.1.2.
  @inlinable
  package init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try AnyRSAPrivateKey(der: bytes) }
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(PrivateKeyFile(der: bytes, .rsa))
  }

  init(_ file: PrivateKeyFile) throws(CryptoError) {
    try self.init(pkcs1: file.key)
    try file.requirePublicKeys(publicKey) { bytes throws(CryptoError) in try AnyRSAPublicKey(pkcs1: bytes) }
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) or an `RSA PRIVATE KEY` (PKCS #1) block.
  /// - Parameter text: one block. Text may stand before it, and only white space after it.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: depends on the structure and on lengths, not on the private integers.
  /// Source: RFC 7468 §10.
  package init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPrivateKey(text, labels: [.privateKey, .rsaPrivateKey], .rsa) { file throws(CryptoError) in
      try AnyRSAPrivateKey(file)
    }
  }

  /// RSAPrivateKey ::= SEQUENCE { version 0, n, e, d, p, q, dp, dq, qi }.
  init(pkcs1 bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var key = try outer.read(.sequence)
    try outer.finish()
    guard try key.readSmallInteger() == 0 else {
      throw CryptoError(.unsupportedKey, "the key has more than two primes")
    }
    let publicKey = try AnyRSAPublicKey(n: try key.readUnsignedInteger(), e: try key.readUnsignedInteger())
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
  package var derRepresentation: SecretBytes? {
    guard let factors else { return nil }
    // Nine integers of four and a half times the modulus's length in all, and what surrounds them.
    return PrivateKeyFile.pkcs8(.rsa, byteCount: publicKey.byteCount &* 5 &+ 192) { wrapped in
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

  /// A `PRIVATE KEY` (PKCS #8) block, or `nil` for a key without its prime factors. A `String` can't be wiped: keep it
  /// no longer than you must.
  package var pemRepresentation: String? { derRepresentation.map(PrivateKeyFile.pem) }
}
