/// A public key of ML-DSA, which verifies signatures.
///
/// Two keys are equal when their parameter sets and bytes are.
/// Source: FIPS 204.
public struct MLDSAVerificationKey: Sendable {
  /// Which of the parameter sets the key is of.
  public let parameterSet: MLDSAParameterSet

  /// The key's bytes, ρ and t₁: 1312, 1952 or 2592.
  public let rawRepresentation: [UInt8]

  /// tr: SHAKE256 of the bytes, 64 of its own.
  let digest: [UInt8]

  /// The transforms of t₁ · 2¹³, |c| < 9 q.
  private let scaledT1: [Int32]

  /// Reads a key.
  /// - Parameters:
  ///   - parameterSet: which of the three the key is of.
  ///   - bytes: 1312 bytes of ML-DSA-44, 1952 of ML-DSA-65, 2592 of ML-DSA-87. Any of that length are a key.
  /// - Throws: `.invalidPublicKey` for any other length.
  /// Source: FIPS 204 algorithm 23.
  @inlinable
  public init(_ parameterSet: MLDSAParameterSet, rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try MLDSAVerificationKey(parameterSet, raw: bytes)
    }
  }

  @usableFromInline
  init(_ parameterSet: MLDSAParameterSet, raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == parameterSet.publicKeyByteCount else {
      throw CryptoError(.invalidPublicKey, "the public key's length must be that of the ML-DSA parameter set")
    }
    self.init(parameterSet, bytes: [UInt8](bytes))
  }

  /// - Parameter bytes: as many as the parameter set says.
  init(_ parameterSet: MLDSAParameterSet, bytes: [UInt8]) {
    self.parameterSet = parameterSet
    self.rawRepresentation = bytes
    self.digest = bytes.withUnsafeBytes { bytes in
      var sponge = KeccakSponge.shake256
      sponge.update(bytes)
      return sponge.output(byteCount: MLDSAParameterSet.digestByteCount)
    }
    let count = parameterSet.rowCount &* MLDSAPolynomial.count
    self.scaledT1 = [Int32](unsafeUninitializedCapacity: count) { room, initializedCount in
      guard let start = room.baseAddress else { return }
      let t1 = MLDSAVector(start: start)
      bytes.withUnsafeBytes { bytes in
        for row in 0..<parameterSet.rowCount {
          let packed = UnsafeRawBufferPointer(rebasing: bytes[(32 &+ 320 &* row)...])
          PackedIntegers.unpack(packed, bitCount: 10, to: t1[row].coefficients)
          for index in 0..<MLDSAPolynomial.count { t1[row].coefficients[index] &<<= 13 }
          t1[row].transform()
        }
      }
      initializedCount = count
    }
  }

  /// The digest of a message that is signed: µ, for a signer that never sees the message.
  /// - Parameters:
  ///   - message: the bytes that are signed.
  ///   - context: what the signature is for, at most 255 bytes; the same for signer and verifier. JOSE has none.
  /// - Returns: 64 bytes.
  /// - Throws: `.lengthLimitExceeded` for a longer context.
  /// Source: FIPS 204 algorithm 2 line 10 and algorithm 7 line 6.
  @inlinable
  public func externalMu(
    for message: some Collection<UInt8>, context: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try withContiguousBytes(message) { message throws(CryptoError) in try externalMu(message: message, context) }
  }

  @usableFromInline
  func externalMu(message: UnsafeRawBufferPointer, _ context: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard context.count <= 255 else {
      throw CryptoError(.lengthLimitExceeded, "a context of ML-DSA has at most 255 bytes")
    }
    // µ = H(tr ‖ 0 ‖ |ctx| ‖ ctx ‖ M)
    var sponge = KeccakSponge.shake256
    digest.withUnsafeBytes { sponge.update($0) }
    sponge.update(0)
    sponge.update(UInt8(truncatingIfNeeded: context.count))
    context.withUnsafeBytes { sponge.update($0) }
    sponge.update(message)
    return sponge.output(byteCount: MLDSAParameterSet.digestByteCount)
  }

  /// Whether `signature` is a valid signature of `message` by this key.
  /// - Parameter signature: exactly 2420, 3309 or 4627 bytes, in the one form that the standard has for each signature.
  /// - Parameter message: the bytes that were signed.
  /// - Parameter context: what the signature is for, at most 255 bytes; the signer's. JOSE has none.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: FIPS 204 algorithm 3.
  @inlinable
  public func isValidSignature(
    _ signature: some Collection<UInt8>, for message: some Collection<UInt8>, context: [UInt8] = []
  ) -> Bool {
    guard let mu = try? externalMu(for: message, context: context) else { return false }
    return isValidSignature(signature, externalMu: mu)
  }

  /// Whether `signature` is a valid signature of the message whose digest is `externalMu`.
  /// - Parameters:
  ///   - signature: 2420 bytes of ML-DSA-44, 3309 of ML-DSA-65, 4627 of ML-DSA-87; no others are valid.
  ///   - externalMu: what ``externalMu(for:context:)`` gives.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: FIPS 204 algorithm 8.
  @inlinable
  public func isValidSignature(_ signature: some Collection<UInt8>, externalMu: [UInt8]) -> Bool {
    withContiguousBytes(signature) { isValidSignature(bytes: $0, externalMu) }
  }

  @usableFromInline
  func isValidSignature(bytes signature: UnsafeRawBufferPointer, _ mu: [UInt8]) -> Bool {
    let parameterSet = parameterSet
    let (rows, columns) = (parameterSet.rowCount, parameterSet.columnCount)
    guard signature.count == parameterSet.signatureByteCount, mu.count == MLDSAParameterSet.digestByteCount else {
      return false
    }
    let commitment = UnsafeRawBufferPointer(rebasing: signature[..<parameterSet.commitmentByteCount])
    let response = UnsafeRawBufferPointer(rebasing: signature[parameterSet.commitmentByteCount...])
    let packedHints = UnsafeRawBufferPointer(rebasing: response[parameterSet.responseByteCount...])
    var isValid = false
    MLDSAVector.withRoom(columns &+ 2 &* rows &+ 2) { z in
      let hints = z.from(columns)
      let w = z.from(columns &+ rows)
      let (challenge, product) = (z[columns &+ 2 &* rows], z[columns &+ 2 &* rows &+ 1])
      hints.start.update(repeating: 0, count: rows &* MLDSAPolynomial.count)
      guard
        MLDSAHints.unpackVariableTime(
          packedHints, parameterSet, { row, place in hints[row].coefficients[place] = 1 })
      else { return }
      for column in 0..<columns {
        guard z[column].decode(response, at: column, parameterSet).isYesVariableTime else { return }
        z[column].transform()
      }
      challenge.setChallenge(seed: commitment, weight: parameterSet.challengeWeight)
      challenge.transform()
      scaledT1.withUnsafeBufferPointer { scaledT1 in
        rawRepresentation.withUnsafeBytes { key in
          MLDSAVector.withMatrix(parameterSet, UnsafeRawBufferPointer(rebasing: key[..<32])) { matrix in
            guard let scaledT1 = scaledT1.baseAddress else { return }
            for row in 0..<rows {
              // w′ = NTT⁻¹(Â ẑ − ĉ t̂₁ · 2¹³), and what the hints make of its high bits.
              w[row].setToProduct(matrix[columns &* row].coefficients, z.start, count: columns)
              product.setToProduct(challenge.coefficients, scaledT1 + row &* MLDSAPolynomial.count, count: 1)
              w[row].subtract(product)
              w[row].transformBack()
              w[row].reduce()
              w[row].correctVariableTime(hints[row], parameterSet.rounding)
            }
          }
        }
      }
      isValid = w.isCommitment(commitment, mu, parameterSet)
    }
    return isValid
  }
}

extension MLDSAVector {
  /// Whether c̃ is the hash of µ and of k polynomials of high bits.
  fileprivate func isCommitment(
    _ commitment: UnsafeRawBufferPointer, _ mu: [UInt8], _ parameterSet: MLDSAParameterSet
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: parameterSet.commitmentByteCount, alignment: 8) { own in
      mu.withUnsafeBytes { hashHighBits(mu: $0, parameterSet, to: own) }
      return ConstantTime.equal(commitment, UnsafeRawBufferPointer(own))
    }
  }

  /// c̃ = H(µ ‖ w1Encode(w₁)).
  /// - Parameter commitment: as long as the parameter set says.
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 204 algorithm 28, algorithm 7 line 15.
  func hashHighBits(
    mu: UnsafeRawBufferPointer, _ parameterSet: MLDSAParameterSet, to commitment: UnsafeMutableRawBufferPointer
  ) {
    let bitCount = parameterSet.rounding.highBitCount
    var sponge = KeccakSponge.shake256
    defer { wipe(&sponge) }
    sponge.update(mu)
    withUnsafeTemporaryAllocation(byteCount: PackedIntegers.byteCount(bitCount: bitCount), alignment: 8) { packed in
      defer { wipe(packed) }
      for row in 0..<parameterSet.rowCount {
        PackedIntegers.pack(self[row].coefficients, bitCount: bitCount, to: packed)
        sponge.update(UnsafeRawBufferPointer(packed))
      }
    }
    sponge.finalize(into: commitment)
  }
}

extension MLDSAPolynomial {
  /// Reads a polynomial of a response. Canonical.
  /// - Parameter response: all of z.
  /// - Returns: whether all |c| < γ₁ − β.
  fileprivate func decode(
    _ response: UnsafeRawBufferPointer, at column: Int, _ parameterSet: MLDSAParameterSet
  ) -> Mask {
    let bitCount = parameterSet.maskBitCount
    let start = column &* PackedIntegers.byteCount(bitCount: bitCount)
    PackedIntegers.unpack(
      UnsafeRawBufferPointer(rebasing: response[start...]), bitCount: bitCount, to: coefficients)
    subtract(from: parameterSet.gamma1)
    return isWithin(parameterSet.gamma1 &- parameterSet.beta)
  }

  /// Canonical c → their high bits as hints correct them.
  fileprivate func correctVariableTime(_ hints: MLDSAPolynomial, _ rounding: MLDSARounding) {
    for index in 0..<Self.count {
      coefficients[index] = Self.highBitsVariableTime(
        coefficients[index], hint: hints.coefficients[index] != 0, rounding)
    }
  }
}

extension MLDSAVerificationKey: Hashable {
  /// Compares parameter sets and bytes.
  ///
  /// Timing: depends on the parameter sets, and on whether the bytes are the same: one of the keys may come from a seed
  /// that belongs to neither.
  public static func == (lhs: MLDSAVerificationKey, rhs: MLDSAVerificationKey) -> Bool {
    lhs.parameterSet == rhs.parameterSet && ConstantTime.equal(lhs.rawRepresentation, rhs.rawRepresentation)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
}
