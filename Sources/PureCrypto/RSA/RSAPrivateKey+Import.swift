extension RSAPrivateKey {
  /// Reads the integers of a key with two primes, each most significant byte first, as RFC 7518 §6.3.2 names them.
  /// - Throws: `.invalidPrivateKey` when an integer is out of range, or they do not belong together.
  ///
  /// Timing: depends on lengths, and on whether the key is sound.
  package init(
    publicKey: RSAPublicKey, d: SecretBytes, p: SecretBytes, q: SecretBytes, dp: SecretBytes, dq: SecretBytes,
    qi: SecretBytes
  ) throws(CryptoError) {
    self = try d.withUnsafeBytes { d throws(CryptoError) in
      try p.withUnsafeBytes { p throws(CryptoError) in
        try q.withUnsafeBytes { q throws(CryptoError) in
          try dp.withUnsafeBytes { dp throws(CryptoError) in
            try dq.withUnsafeBytes { dq throws(CryptoError) in
              try qi.withUnsafeBytes { qi throws(CryptoError) in
                try RSAPrivateKey(
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
  package init(publicKey: RSAPublicKey, d: SecretBytes) throws(CryptoError) {
    self = try d.withUnsafeBytes { d throws(CryptoError) in
      try RSAPrivateKey(publicKey: publicKey, RSAPrivateNumbers(d: d, factors: nil))
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
        [numbers.p, numbers.q, numbers.dp, numbers.dq, numbers.qi].map { RSAPrivateKey.withoutLeadingZeros($0) }
      }
    }
    return Numbers(d: exponentBytes.withUnsafeBytes { RSAPrivateKey.withoutLeadingZeros($0) }, factors: factors ?? [])
  }

  /// A number as encodings hold it. How long it is, everybody can see there.
  private static func withoutLeadingZeros(_ number: UnsafeRawBufferPointer) -> SecretBytes {
    SecretBytes(
      copying: UnsafeRawBufferPointer(rebasing: number.suffix(LimbRun.significantByteCount(number).declassified)))
  }
}
