/// A public key of ML-KEM: with it anybody makes a secret that only the owner of the private key learns from a
/// ciphertext.
///
/// Two keys are equal when their parameter sets and bytes are. The matrix that the key stands for is computed once,
/// with the key: 6 or 10 kB.
///
/// Source: FIPS 203.
public struct MLKEMPublicKey: Sendable {
  /// Which of the parameter sets the key is of.
  public let parameterSet: MLKEMParameterSet

  /// The key's bytes: t̂ and ρ, 1184 or 1568.
  public let rawRepresentation: [UInt8]

  /// H(ek): SHA3-256 of the bytes.
  let digest: [UInt8]

  /// t̂, k polynomials, and Â, k rows of k polynomials, all canonical.
  private let polynomials: [Int16]

  /// Reads a key.
  /// - Parameters:
  ///   - parameterSet: ML-KEM-768 or ML-KEM-1024.
  ///   - bytes: 1184 bytes of ML-KEM-768, 1568 of ML-KEM-1024.
  /// - Throws: `.invalidPublicKey` for any other length, and when a coefficient is not below q: no key is written so.
  /// Source: FIPS 203 §7.2.
  @inlinable
  public init(_ parameterSet: MLKEMParameterSet, rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try MLKEMPublicKey(parameterSet, raw: bytes) }
  }

  @usableFromInline
  init(_ parameterSet: MLKEMParameterSet, raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == parameterSet.publicKeyByteCount else {
      throw CryptoError(.invalidPublicKey, "the public key's length must be that of the ML-KEM parameter set")
    }
    var isCanonical = Mask.yes
    let polynomials = Self.expanded(parameterSet, seed: bytes) { t, _ in
      for row in 0..<parameterSet.rank {
        isCanonical = isCanonical & t[row].decode(UnsafeRawBufferPointer(rebasing: bytes[(384 &* row)...]))
      }
    }
    guard isCanonical.isYesVariableTime else {
      throw CryptoError(.invalidPublicKey, "a coefficient of the public key is not below 3329")
    }
    self.init(parameterSet, [UInt8](bytes), polynomials)
  }

  private init(_ parameterSet: MLKEMParameterSet, _ bytes: [UInt8], _ polynomials: [Int16]) {
    self.parameterSet = parameterSet
    self.rawRepresentation = bytes
    self.digest = SHA3.hash(bytes, .bits256)
    self.polynomials = polynomials
  }

  /// The key for ŝ and ê: t̂ = Â ŝ + ê.
  /// - Parameter transforms: 2 k transforms, ŝ and ê, centred. Secret.
  /// - Parameter rho: 32 bytes.
  ///
  /// Timing: depends on ρ only.
  /// Source: FIPS 203 algorithm 13 lines 16 to 19.
  init(_ parameterSet: MLKEMParameterSet, transforms: SecretBytes, rho: [UInt8]) {
    let k = parameterSet.rank
    var bytes = [UInt8](repeating: 0, count: parameterSet.publicKeyByteCount)
    let polynomials = bytes.withUnsafeMutableBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[parameterSet.vectorByteCount...]).copyBytes(from: rho)
      return Self.expanded(parameterSet, seed: UnsafeRawBufferPointer(bytes)) { t, matrix in
        transforms.withUnsafeBytes { transforms in
          guard let s = MLKEMVector(transforms) else { return }
          for row in 0..<k {
            t[row].setToProduct(matrix[k &* row].coefficients, s.start, count: k)
            t[row].multiplyByRadix()
            t[row].add(s[k &+ row])
            t[row].reduce()
            t[row].encode(to: UnsafeMutableRawBufferPointer(rebasing: bytes[(384 &* row)...]))
          }
        }
      }
    }
    self.init(parameterSet, bytes, polynomials)
  }

  /// t̂, which `body` writes, and Â.
  /// - Parameter seed: bytes that end with ρ.
  private static func expanded(
    _ parameterSet: MLKEMParameterSet, seed: UnsafeRawBufferPointer,
    _ body: (_ t: MLKEMVector, _ matrix: MLKEMVector) -> Void
  ) -> [Int16] {
    let k = parameterSet.rank
    let count = (k &+ k &* k) &* MLKEMPolynomial.count
    let rho = UnsafeRawBufferPointer(rebasing: seed.suffix(32))
    return [Int16](unsafeUninitializedCapacity: count) { room, initializedCount in
      guard let start = room.baseAddress else { return }
      let t = MLKEMVector(start: start)
      let matrix = t.from(k)
      matrix.setUniformVariableTime(seed: rho, rank: k)
      body(t, matrix)
      initializedCount = count
    }
  }

  /// Makes a secret and what its other owner learns it from.
  /// - Returns: K, 32 uniformly random bytes, and the ciphertext: 1088 bytes of ML-KEM-768, 1568 of
  ///   ML-KEM-1024.
  ///
  /// Timing: depends on the public key only.
  /// Source: FIPS 203 algorithm 20.
  public func encapsulate() -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    encapsulate(SecretBytes.random(count: MLKEMParameterSet.secretByteCount))
  }

  /// The same with a message of the caller's choice. For vectors, and for protocols that derive it.
  /// - Parameter message: m, 32 bytes.
  ///
  /// Timing: depends on the public key only.
  /// Source: FIPS 203 algorithm 17.
  package func encapsulate(_ message: SecretBytes) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    var ciphertext = [UInt8](repeating: 0, count: parameterSet.ciphertextByteCount)
    let sharedSecret = SecretBytes(count: MLKEMParameterSet.secretByteCount) { secret in
      message.withUnsafeBytes { message in
        ciphertext.withUnsafeMutableBytes { encrypt(message, to: $0, sharedSecret: secret) }
      }
    }
    return (sharedSecret, ciphertext)
  }

  /// (K, r) = G(m ‖ H(ek)); c = K-PKE.Encrypt(m, r).
  /// - Parameter message: m, 32 bytes. Secret.
  /// - Parameter ciphertext: as long as the parameter set says.
  /// - Parameter sharedSecret: K, 32 bytes.
  ///
  /// Timing: depends on the public key only.
  func encrypt(
    _ message: UnsafeRawBufferPointer, to ciphertext: UnsafeMutableRawBufferPointer,
    sharedSecret: UnsafeMutableRawBufferPointer
  ) {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { derived in
      defer { wipe(derived) }
      digest.withUnsafeBytes { KeccakSponge.hash(digestByteCount: 64).write(message, $0, to: derived) }
      sharedSecret.copyMemory(from: UnsafeRawBufferPointer(rebasing: derived[..<32]))
      encrypt(message, randomness: UnsafeRawBufferPointer(rebasing: derived[32...]), to: ciphertext)
    }
  }

  /// u = NTT⁻¹(Âᵀ ŷ) + e₁, v = NTT⁻¹(t̂ᵀ ŷ) + e₂ + ⌈q / 2⌋ m, compressed.
  /// - Parameter randomness: r, 32 bytes. Secret.
  ///
  /// Source: FIPS 203 algorithm 14.
  private func encrypt(
    _ message: UnsafeRawBufferPointer, randomness: UnsafeRawBufferPointer,
    to ciphertext: UnsafeMutableRawBufferPointer
  ) {
    let k = parameterSet.rank
    let vectorBitCount = parameterSet.vectorBitCount
    polynomials.withUnsafeBufferPointer { polynomials in
      guard let t = polynomials.baseAddress else { return }
      let matrix = t + k &* MLKEMPolynomial.count
      // y, e₁, e₂ and a sum.
      MLKEMVector.withRoom(2 &* k &+ 2) { y in
        let errors = y.from(k)
        let sum = y[2 &* k &+ 1]
        y.setSmall(seed: randomness, count: 2 &* k &+ 1)
        for index in 0..<k { y[index].transform() }
        var offset = 0
        for index in 0..<k {
          sum.setToProduct(matrix + index &* MLKEMPolynomial.count, stride: k, y.start, count: k)
          sum.transformBack()
          sum.add(errors[index])
          sum.compress(
            bitCount: vectorBitCount, to: UnsafeMutableRawBufferPointer(rebasing: ciphertext[offset...]))
          offset &+= PackedIntegers.byteCount(bitCount: vectorBitCount)
        }
        sum.setToProduct(t, y.start, count: k)
        sum.transformBack()
        sum.add(errors[k])
        sum.add(message: message)
        sum.compress(
          bitCount: parameterSet.scalarBitCount, to: UnsafeMutableRawBufferPointer(rebasing: ciphertext[offset...]))
      }
    }
  }
}

extension MLKEMPublicKey: Hashable {
  /// Compares parameter sets and bytes.
  public static func == (lhs: MLKEMPublicKey, rhs: MLKEMPublicKey) -> Bool {
    lhs.parameterSet == rhs.parameterSet && lhs.rawRepresentation == rhs.rawRepresentation
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
}

extension KeccakSponge {
  /// Writes the first bytes for `first` ‖ `second`, which are secret: nothing of them stays.
  func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, to bytes: UnsafeMutableRawBufferPointer
  ) {
    var sponge = self
    defer { wipe(&sponge) }
    sponge.update(first)
    sponge.update(second)
    sponge.finalize(into: bytes)
  }
}
