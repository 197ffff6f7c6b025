/// An RSA private key of 2048 to 8192 bits, for signatures or for decryption of RSAES-OAEP.
///
/// Its integers stay in storage that is wiped when the last copy of the value goes. Descriptions and reflection show the
/// public key only. A key with its prime factors computes about four times faster than one without.
/// Source: RFC 8017 §3.2.
public struct RSAPrivateKey: Sendable {
  /// n and e.
  public let publicKey: RSAPublicKey

  /// d, as many limbs as n has.
  private let exponent: SecretBytes

  /// What the Chinese remainder theorem needs, if it is known.
  let factors: RSAPrimeFactors?

  /// Takes n and e, and the private integers.
  /// - Throws: `.invalidPrivateKey` when an integer is out of range, or they do not belong together.
  ///
  /// Timing: depends on lengths, and on whether the key is sound.
  @usableFromInline
  init(publicKey: RSAPublicKey, _ numbers: RSAPrivateNumbers) throws(CryptoError) {
    let count = publicKey.limbCount
    let d = numbers.d
    guard LimbRun.fits(d, byteCount: publicKey.byteCount).declassified else {
      throw CryptoError(.invalidPrivateKey, "the private exponent is longer than the modulus")
    }
    self.publicKey = publicKey
    self.exponent = SecretBytes(count: count &* 8) { bytes in
      guard let limbs = bytes.assumingMemoryBound(to: UInt64.self).baseAddress else { return }
      LimbRun.load(
        limbs, count: count, bigEndian: UnsafeRawBufferPointer(rebasing: d.suffix(publicKey.byteCount)))
    }
    if let given = numbers.factors {
      guard let factors = RSAPrimeFactors(given, modulusBitCount: publicKey.bitCount) else {
        throw CryptoError(.invalidPrivateKey, "a prime factor is even, or far from half as long as the modulus")
      }
      self.factors = factors
    } else {
      self.factors = nil
    }
    guard isSound else {
      throw CryptoError(.invalidPrivateKey, "the integers of the private key do not belong together")
    }
  }

  /// Whether d < n, and the integers belong together.
  private var isSound: Bool {
    let isConsistent = publicKey.withModulus { n, _ in
      withExponent { d in
        let isBelow = LimbRun.isLess(d, than: n.limbs, count: n.count)
        guard let factors else { return isBelow }
        return isBelow & factors.areConsistent(n: n.limbs, e: publicKey.exponent, d: d, nCount: n.count)
      }
    }
    guard isConsistent.declassified else { return false }
    guard factors == nil else { return true }
    // Without factors there is nothing to compute with but the key itself: 2^(de) = 2 mod n, or d is another key's.
    let two = [UInt8](repeating: 0, count: publicKey.byteCount &- 1) + [2]
    return two.withUnsafeBytes { two in withPower(of: two) { _ in true } } ?? false
  }

  /// Calls `body` with d, as many limbs as n has.
  @inline(__always)
  func withExponent<Result>(_ body: (UnsafePointer<UInt64>) -> Result) -> Result {
    exponent.withUnsafeBytes { bytes in
      // Never empty: a modulus has at least 32 limbs.
      body(bytes.assumingMemoryBound(to: UInt64.self).baseAddress.unsafelyUnwrapped)
    }
  }

  /// d, most significant byte first, as long as the modulus.
  var exponentBytes: SecretBytes {
    SecretBytes(count: publicKey.byteCount) { bytes in
      withExponent { LimbRun.store($0, count: publicKey.limbCount, bigEndian: bytes) }
    }
  }
}

extension RSAPrivateKey: Redacted {
  /// The kind of key, never its integers.
  public var description: String { "RSAPrivateKey(\(publicKey.bitCount) bits, redacted)" }
}
