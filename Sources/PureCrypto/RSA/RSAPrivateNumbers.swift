/// The secret integers of an RSA key with two primes, as RFC 8017 §3.2 and RFC 7518 §6.3.2 name them. Views of bytes,
/// most significant first; leading zeros are allowed.
@usableFromInline
struct RSAPrivateNumbers {
  /// The private exponent.
  @usableFromInline var d: UnsafeRawBufferPointer
  /// What the Chinese remainder theorem needs, if it is known.
  @usableFromInline var factors: Factors?

  @usableFromInline
  struct Factors {
    /// The first prime.
    @usableFromInline var p: UnsafeRawBufferPointer
    /// The second prime.
    @usableFromInline var q: UnsafeRawBufferPointer
    /// d mod (p − 1).
    @usableFromInline var dp: UnsafeRawBufferPointer
    /// d mod (q − 1).
    @usableFromInline var dq: UnsafeRawBufferPointer
    /// q⁻¹ mod p.
    @usableFromInline var qi: UnsafeRawBufferPointer

    @usableFromInline
    init(
      p: UnsafeRawBufferPointer, q: UnsafeRawBufferPointer, dp: UnsafeRawBufferPointer, dq: UnsafeRawBufferPointer,
      qi: UnsafeRawBufferPointer
    ) {
      (self.p, self.q, self.dp, self.dq, self.qi) = (p, q, dp, dq, qi)
    }
  }

  @usableFromInline
  init(d: UnsafeRawBufferPointer, factors: Factors?) {
    self.d = d
    self.factors = factors
  }
}
