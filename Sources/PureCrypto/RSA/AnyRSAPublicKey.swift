/// An RSA public key, whatever it is for: a modulus n of 2048 to 8192 bits and an odd exponent e with 3 ≤ e < 2³².
///
/// Whether n is the product of two primes can't be seen. Two keys are equal when n and e are.
/// Source: RFC 8017 §3.1.
@usableFromInline
package struct AnyRSAPublicKey: Sendable, Hashable {
  /// n, then R² mod n: `limbCount` limbs each; then n as vectors have it, if the processor multiplies those.
  private let limbs: [UInt64]

  #if HARDWARE_KERNELS && arch(x86_64)
    /// `nil` where there is no `VectorModulus` in `limbs`.
    private let shape: VectorShape?
  #endif

  /// The number of limbs of n.
  let limbCount: Int

  /// e.
  let exponent: UInt64

  /// The length of n in bits.
  package let bitCount: Int

  /// The length of n, of signatures and of ciphertexts in bytes.
  package var byteCount: Int { (bitCount &+ 7) &>> 3 }

  /// The lengths of moduli that are accepted, in bits. Shorter ones are too weak; longer ones cost too much.
  package static let bitCounts = 2048...8192

  /// Reads modulus and exponent.
  /// - Parameter modulus: n, 256 to 1024 bytes, most significant first, without leading zeros.
  /// - Parameter exponent: e, 1 to 4 bytes, likewise.
  /// - Throws: `.invalidKeyLength` when n has less than 2048 or more than 8192 bits, `.invalidPublicKey` when n is
  ///   even, e is even or below 3 or 2³² or more, or there are leading zeros.
  @inlinable
  package init(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(modulus) { modulus throws(CryptoError) in
      try withContiguousBytes(exponent) { exponent throws(CryptoError) in
        try AnyRSAPublicKey(n: modulus, e: exponent)
      }
    }
  }

  @usableFromInline
  init(n: UnsafeRawBufferPointer, e: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(n: n, e: e, backend: .preferred)
  }

  package init(n: UnsafeRawBufferPointer, e: UnsafeRawBufferPointer, backend: Backend) throws(CryptoError) {
    guard let first = n.first, let last = n.last, first != 0, last & 1 == 1 else {
      throw CryptoError(.invalidPublicKey, "the modulus is even, empty or has leading zeros")
    }
    guard n.count <= AnyRSAPublicKey.bitCounts.upperBound &>> 3 else {
      throw CryptoError(.invalidKeyLength, "the modulus has more than 8192 bits")
    }
    let bitCount = n.count &* 8 &- first.leadingZeroBitCount
    guard AnyRSAPublicKey.bitCounts.contains(bitCount) else {
      throw CryptoError(.invalidKeyLength, "the modulus has less than 2048 bits")
    }
    guard let first = e.first, first != 0, e.count <= 4 else {
      throw CryptoError(.invalidPublicKey, "the exponent is not between 3 and 2^32, or has leading zeros")
    }
    let exponent = e.reduce(0) { $0 &<< 8 | UInt64($1) }
    guard exponent & 1 == 1, exponent >= 3 else {
      throw CryptoError(.invalidPublicKey, "the exponent is even or below 3")
    }
    let count = LimbRun.count(ofBytes: n.count)
    #if HARDWARE_KERNELS && arch(x86_64)
      let shape = VectorShape.fitting(bitCount: bitCount, isPair: false, backend: backend)
      self.shape = shape
      let vectorLimbCount = (shape?.byteCount ?? 0) &>> 3
    #else
      let vectorLimbCount = 0
    #endif
    let capacity = 2 &* count &+ vectorLimbCount
    self.limbs = [UInt64](unsafeUninitializedCapacity: capacity) { limbs, initializedCount in
      initializedCount = capacity
      guard let start = limbs.baseAddress else { return }
      start.initialize(repeating: 0, count: capacity)
      LimbRun.load(start, count: count, bigEndian: n)
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 &* count) { product in
        guard let product = product.baseAddress else { return }
        product.initialize(repeating: 0, count: 2 &* count)
        MontgomeryModulus(start, count: count).radixSquared(start + count, bitCount: bitCount, product)
      }
      #if HARDWARE_KERNELS && arch(x86_64)
        guard let shape else { return }
        VectorModulus.prepare(
          [(UnsafePointer(start), UnsafePointer(start + count))], count: count, bitCount: bitCount, shape: shape,
          memory: UnsafeMutableRawPointer(start + 2 &* count))
      #endif
    }
    self.limbCount = count
    self.exponent = exponent
    self.bitCount = bitCount
  }

  /// n, most significant byte first, without leading zeros.
  package var modulus: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, initializedCount in
      withModulus { n, _ in
        LimbRun.store(n.limbs, count: n.count, bigEndian: UnsafeMutableRawBufferPointer(bytes))
      }
      initializedCount = byteCount
    }
  }

  /// e, most significant byte first, without leading zeros: 1 to 4 bytes, usually 01 00 01.
  package var publicExponent: [UInt8] {
    withUnsafeBytes(of: exponent.bigEndian) { bytes in Array(bytes.drop { $0 == 0 }) }
  }

  /// Two keys are equal when modulus and exponent are.
  @usableFromInline
  package static func == (lhs: AnyRSAPublicKey, rhs: AnyRSAPublicKey) -> Bool {
    lhs.exponent == rhs.exponent && lhs.limbs.prefix(lhs.limbCount).elementsEqual(rhs.limbs.prefix(rhs.limbCount))
  }

  /// Hashes modulus and exponent.
  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(exponent)
    for limb in limbs.prefix(limbCount) { hasher.combine(limb) }
  }

  /// Calls `body` with n and R² mod n.
  @inline(__always)
  func withModulus<Result>(_ body: (_ n: MontgomeryModulus, _ radixSquared: UnsafePointer<UInt64>) -> Result) -> Result
  {
    limbs.withUnsafeBufferPointer { buffer in
      // The array is never empty: a modulus has at least 32 limbs.
      let start = buffer.baseAddress.unsafelyUnwrapped
      return body(MontgomeryModulus(start, count: limbCount), start + limbCount)
    }
  }
}

extension AnyRSAPublicKey {
  /// r ← a^e mod n.
  /// - Parameter a: below n, `limbCount` limbs. Not r.
  /// - Parameter scratch: room for 3 · `limbCount` limbs.
  ///
  /// Timing: depends on the key, not on a.
  func power(_ r: UnsafeMutablePointer<UInt64>, _ a: UnsafePointer<UInt64>, _ scratch: UnsafeMutablePointer<UInt64>) {
    withModulus { n, radixSquared in
      #if HARDWARE_KERNELS && arch(x86_64)
        if let shape {
          VectorModulus(memory: radixSquared + limbCount, shape: shape)
            .powerVariableTime(r, a, exponent: exponent, modulus: n)
          return
        }
      #endif
      n.powerVariableTime(r, a, exponent: exponent, radixSquared: radixSquared, scratch)
    }
  }
}

extension AnyRSAPublicKey {
  /// Reads a SubjectPublicKeyInfo or a PKCS #1 RSAPublicKey.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm (id-RSASSA-PSS among them, which restricts the
  ///   key's use), and what ``init(modulus:exponent:)`` throws.
  /// Source: RFC 3279 §2.3.1, RFC 8017 §A.1.1.
  @inlinable
  package init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try AnyRSAPublicKey(der: bytes) }
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    let contents = try outer.read(.sequence)
    // SPKI begins with an AlgorithmIdentifier, PKCS #1 with n.
    try self.init(pkcs1: contents.isNext(.sequence) ? PublicKeyFile(spki: bytes, .rsa).key : bytes)
  }

  /// RSAPublicKey ::= SEQUENCE { INTEGER modulus, INTEGER publicExponent }.
  init(pkcs1 bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var key = try outer.read(.sequence)
    try outer.finish()
    let modulus = try key.readUnsignedInteger()
    let exponent = try key.readUnsignedInteger()
    try key.finish()
    try self.init(n: modulus, e: exponent)
  }

  /// Reads a `PUBLIC KEY` (SubjectPublicKeyInfo) or an `RSA PUBLIC KEY` (PKCS #1) block.
  /// - Parameter text: one block. Text may stand before it, and only white space after it.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  package init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPublicKey(text, labels: [.publicKey, .rsaPublicKey], .rsa) { file throws(CryptoError) in
      try AnyRSAPublicKey(pkcs1: file.key)
    }
  }

  /// SubjectPublicKeyInfo in DER.
  package var derRepresentation: [UInt8] { PublicKeyFile.spki(pkcs1Representation, .rsa) }

  /// A `PUBLIC KEY` block.
  package var pemRepresentation: String { PublicKeyFile.pem(derRepresentation) }

  /// PKCS #1 RSAPublicKey in DER.
  package var pkcs1Representation: [UInt8] {
    var writer = DERWriter(capacity: byteCount &+ 32)
    writer.constructed(.sequence) { key in
      key.unsignedInteger(modulus)
      key.unsignedInteger(publicExponent)
    }
    return writer.bytes
  }
}
