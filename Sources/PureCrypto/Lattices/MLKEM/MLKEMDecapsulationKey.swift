/// What decapsulates: ŝ, z and the public key, which a seed expands to.
///
/// Source: FIPS 203.
package struct MLKEMDecapsulationKey: Sendable {
  package let publicKey: MLKEMPublicKey

  /// ŝ: k transforms, centred or canonical, as they lie in memory.
  private let s: SecretBytes
  /// z: what the answer to a wrong ciphertext is made of, 32 bytes.
  private let z: SecretBytes

  /// Expands a seed.
  /// - Parameter seed: d ‖ z, 64 bytes.
  ///
  /// Timing: depends on the public key only.
  /// Source: FIPS 203 algorithms 13 and 16.
  init(_ parameterSet: MLKEMParameterSet, seed: UnsafeRawBufferPointer) {
    // (ρ, σ) = G(d ‖ k)
    let derived = SecretBytes(count: 64) { derived in
      withUnsafeBytes(of: UInt8(truncatingIfNeeded: parameterSet.rank)) { rank in
        KeccakSponge.hash(digestByteCount: 64).write(UnsafeRawBufferPointer(rebasing: seed[..<32]), rank, to: derived)
      }
    }
    let transforms = Self.smallTransforms(parameterSet, derived)
    s = transforms.withUnsafeBytes { SecretBytes(copying: $0[..<($0.count / 2)]) }
    z = SecretBytes(copying: seed[32...])
    // ρ is what the public key ends with.
    let rho = derived.withUnsafeBytes { declassified(UnsafeRawBufferPointer(rebasing: $0[..<32])) }
    publicKey = MLKEMPublicKey(parameterSet, transforms: transforms, rho: rho)
  }

  /// ŝ and ê: 2 k transforms of polynomials with small coefficients, centred.
  /// - Parameter derived: ρ ‖ σ.
  private static func smallTransforms(_ parameterSet: MLKEMParameterSet, _ derived: SecretBytes) -> SecretBytes {
    let count = 2 &* parameterSet.rank
    return SecretBytes(count: count &* MLKEMVector.polynomialByteCount) { bytes in
      guard let vector = MLKEMVector(UnsafeRawBufferPointer(bytes)) else { return }
      derived.withUnsafeBytes { derived in
        vector.setSmall(seed: UnsafeRawBufferPointer(rebasing: derived[32...]), count: count)
      }
      for index in 0..<count { vector[index].transform() }
    }
  }

  /// Reads the expanded form, which no format of this package has. For vectors.
  /// - Parameter bytes: ŝ ‖ ek ‖ H(ek) ‖ z.
  /// - Throws: `.invalidPrivateKey` for a wrong length, a wrong H(ek) or a coefficient that is not below q,
  ///   `.invalidPublicKey`.
  ///
  /// Timing: depends on the public key, and on whether the private one is legal.
  /// Source: FIPS 203 §7.3.
  package init(_ parameterSet: MLKEMParameterSet, expandedRepresentation bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count == parameterSet.expandedKeyByteCount else {
      throw CryptoError(.invalidPrivateKey, "the expanded key's length must be that of the ML-KEM parameter set")
    }
    let hash = bytes.count &- 64
    publicKey = try MLKEMPublicKey(parameterSet, rawRepresentation: bytes[parameterSet.vectorByteCount..<hash])
    let k = parameterSet.rank
    var isCanonical = Mask.yes
    s = SecretBytes(count: k &* MLKEMVector.polynomialByteCount) { s in
      guard let s = MLKEMVector(UnsafeRawBufferPointer(s)) else { return }
      bytes.withUnsafeBytes { bytes in
        for index in 0..<k {
          isCanonical = isCanonical & s[index].decode(UnsafeRawBufferPointer(rebasing: bytes[(384 &* index)...]))
        }
      }
    }
    guard isCanonical.declassified, publicKey.digest.elementsEqual(bytes[hash..<(hash &+ 32)]) else {
      throw CryptoError(.invalidPrivateKey, "the expanded key is damaged")
    }
    z = SecretBytes(copying: bytes[(hash &+ 32)...])
  }

  /// ŝ ‖ ek ‖ H(ek) ‖ z, which no format of this package has. For vectors.
  ///
  /// Timing: depends on the public key only.
  package var expandedRepresentation: SecretBytes {
    let parameterSet = publicKey.parameterSet
    return SecretBytes(count: parameterSet.expandedKeyByteCount) { bytes in
      MLKEMVector.withRoom(1) { room in
        s.withUnsafeBytes { s in
          guard let s = MLKEMVector(s) else { return }
          for index in 0..<parameterSet.rank {
            room.start.update(from: s[index].coefficients, count: MLKEMPolynomial.count)
            room[0].reduce()
            room[0].encode(to: UnsafeMutableRawBufferPointer(rebasing: bytes[(384 &* index)...]))
          }
        }
      }
      let parts = publicKey.rawRepresentation + publicKey.digest
      UnsafeMutableRawBufferPointer(rebasing: bytes[parameterSet.vectorByteCount...]).copyBytes(from: parts)
      z.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes.suffix(32)).copyMemory(from: $0) }
    }
  }

  /// Learns the secret from a ciphertext; from a wrong one another secret, which the sender can't know.
  /// - Parameter ciphertext: of the right length.
  ///
  /// The ciphertext is made again and compared as a whole. What the answer is, and that there were two, is a mask to
  /// the end.
  ///
  /// Timing: depends on the public key only, not on whether the ciphertext is right.
  /// Source: FIPS 203 algorithms 15 and 18.
  func decapsulate(_ ciphertext: UnsafeRawBufferPointer) -> SecretBytes {
    SecretBytes(count: MLKEMParameterSet.secretByteCount) { secret in
      withUnsafeTemporaryAllocation(byteCount: 64 &+ ciphertext.count, alignment: 8) { room in
        defer { wipe(room) }
        let message = UnsafeMutableRawBufferPointer(rebasing: room[..<32])
        let rejection = UnsafeMutableRawBufferPointer(rebasing: room[32..<64])
        let again = UnsafeMutableRawBufferPointer(rebasing: room[64...])
        decrypt(ciphertext, to: message)
        // K̄ = J(z ‖ c)
        z.withUnsafeBytes { KeccakSponge.shake256.write($0, ciphertext, to: rejection) }
        publicKey.encrypt(UnsafeRawBufferPointer(message), to: again, sharedSecret: secret)
        let isRight = ConstantTime.equality(ciphertext, UnsafeRawBufferPointer(again))
        for index in 0..<secret.count { secret[index] = isRight.select(secret[index], rejection[index]) }
      }
    }
  }

  /// m = ⌈2 / q · (v − NTT⁻¹(ŝᵀ NTT(u)))⌋ mod 2.
  private func decrypt(_ ciphertext: UnsafeRawBufferPointer, to message: UnsafeMutableRawBufferPointer) {
    let parameterSet = publicKey.parameterSet
    let k = parameterSet.rank
    let bitCount = parameterSet.vectorBitCount
    MLKEMVector.withRoom(k &+ 2) { u in
      let (v, w) = (u[k], u[k &+ 1])
      var offset = 0
      for index in 0..<k {
        u[index].decompress(UnsafeRawBufferPointer(rebasing: ciphertext[offset...]), bitCount: bitCount)
        u[index].transform()
        offset &+= PackedIntegers.byteCount(bitCount: bitCount)
      }
      v.decompress(UnsafeRawBufferPointer(rebasing: ciphertext[offset...]), bitCount: parameterSet.scalarBitCount)
      s.withUnsafeBytes { s in
        if let s = MLKEMVector(s) { w.setToProduct(s.start, u.start, count: k) }
      }
      w.transformBack()
      w.subtract(from: v)
      w.compress(bitCount: 1, to: message)
    }
  }
}
