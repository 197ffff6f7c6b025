/// What a seed of ML-DSA expands to: K and the transforms of s₁, s₂ and t₀, in storage that is wiped.
///
/// Source: FIPS 204 algorithm 6.
struct MLDSAExpandedKey: Sendable {
  let publicKey: MLDSAVerificationKey
  /// ρ, 32 bytes, which is public, ρ′, 64 bytes, and K, 32 bytes.
  private let derived: SecretBytes
  /// ℓ + 2 k transforms, |c| < 9 q.
  private let transforms: SecretBytes

  /// - Parameter seed: ξ, 32 bytes.
  ///
  /// Timing: depends on the public key, and on which candidates for private coefficients are rejected; nothing is
  /// learned of those that are kept.
  init(_ parameterSet: MLDSAParameterSet, seed: UnsafeRawBufferPointer) {
    let (rows, columns) = (parameterSet.rowCount, parameterSet.columnCount)
    let derived = SecretBytes(count: 128) { derived in
      withUnsafeBytes(of: (UInt8(truncatingIfNeeded: rows), UInt8(truncatingIfNeeded: columns))) { size in
        KeccakSponge.shake256.write(seed, size, to: derived)
      }
    }
    // ρ is what the public key begins with.
    var publicKey = derived.withUnsafeBytes { declassified(UnsafeRawBufferPointer(rebasing: $0[..<32])) }
    publicKey += [UInt8](repeating: 0, count: parameterSet.publicKeyByteCount &- 32)
    let byteCount = (columns &+ 2 &* rows) &* MLDSAVector.polynomialByteCount
    transforms = SecretBytes(count: byteCount) { transforms in
      derived.withUnsafeBytes { derived in
        publicKey.withUnsafeMutableBytes { publicKey in
          guard let s1 = MLDSAVector(UnsafeRawBufferPointer(transforms)) else { return }
          let s2 = s1.from(columns)
          s1.setSmall(
            seed: UnsafeRawBufferPointer(rebasing: derived[32..<96]), count: columns &+ rows, eta: parameterSet.eta)
          for column in 0..<columns { s1[column].transform() }
          MLDSAVector.withMatrix(parameterSet, UnsafeRawBufferPointer(rebasing: publicKey[..<32])) { matrix in
            Self.round(
              matrix, s1, s2, parameterSet, t1: UnsafeMutableRawBufferPointer(rebasing: publicKey[32...]))
          }
          for row in 0..<rows { s2[row].transform() }
        }
      }
    }
    self.derived = derived
    self.publicKey = MLDSAVerificationKey(parameterSet, bytes: publicKey)
  }

  /// t = NTT⁻¹(Â ŝ₁) + s₂ = t₁ 2¹³ + t₀. The transforms of t₀ go behind s₂.
  private static func round(
    _ matrix: MLDSAVector, _ s1: MLDSAVector, _ s2: MLDSAVector, _ parameterSet: MLDSAParameterSet,
    t1 packed: UnsafeMutableRawBufferPointer
  ) {
    let t0 = s2.from(parameterSet.rowCount)
    MLDSAVector.withRoom(1) { room in
      let t1 = room[0]
      for row in 0..<parameterSet.rowCount {
        t0[row].setToProduct(
          matrix[parameterSet.columnCount &* row].coefficients, s1.start, count: parameterSet.columnCount)
        t0[row].transformBack()
        t0[row].add(s2[row])
        t0[row].roundToPower(high: t1)
        PackedIntegers.pack(
          t1.coefficients, bitCount: 10, to: UnsafeMutableRawBufferPointer(rebasing: packed[(320 &* row)...]))
        t0[row].transform()
      }
    }
  }

  /// Calls `body` with K, 32 bytes, and the transforms of s₁, s₂ and t₀.
  func withSecrets(
    _ body: (_ k: UnsafeRawBufferPointer, _ s1: MLDSAVector, _ s2: MLDSAVector, _ t0: MLDSAVector) -> Void
  ) {
    let parameterSet = publicKey.parameterSet
    derived.withUnsafeBytes { derived in
      transforms.withUnsafeBytes { transforms in
        guard let s1 = MLDSAVector(transforms) else { return }
        let s2 = s1.from(parameterSet.columnCount)
        body(UnsafeRawBufferPointer(rebasing: derived[96...]), s1, s2, s2.from(parameterSet.rowCount))
      }
    }
  }

  /// ρ ‖ K ‖ tr ‖ s₁ ‖ s₂ ‖ t₀, which no format of this package has. For vectors.
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 204 algorithm 24.
  var expandedRepresentation: SecretBytes {
    let parameterSet = publicKey.parameterSet
    let small = (parameterSet.etaBitCount, Int32(truncatingIfNeeded: parameterSet.eta))
    let smallCount = parameterSet.columnCount &+ parameterSet.rowCount
    let byteCount =
      128 &+ smallCount &* PackedIntegers.byteCount(bitCount: small.0) &+ parameterSet.rowCount
      &* PackedIntegers.byteCount(bitCount: 13)
    return SecretBytes(count: byteCount) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[..<32]).copyBytes(from: publicKey.rawRepresentation[..<32])
      UnsafeMutableRawBufferPointer(rebasing: bytes[64..<128]).copyBytes(from: publicKey.digest)
      MLDSAVector.withRoom(1) { room in
        withSecrets { k, s1, _, _ in
          UnsafeMutableRawBufferPointer(rebasing: bytes[32..<64]).copyMemory(from: k)
          var offset = 128
          for index in 0..<(smallCount &+ parameterSet.rowCount) {
            let (bitCount, bound) = index < smallCount ? small : (13, 4096)
            // Times 1 · 2⁻³², which the inverse transform takes back.
            for place in 0..<MLDSAPolynomial.count {
              room.start[place] = MLDSAPolynomial.product(s1[index].coefficients[place], 1)
            }
            room[0].transformBack()
            room[0].subtract(from: bound)
            PackedIntegers.pack(
              room.start, bitCount: bitCount, to: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
            offset &+= PackedIntegers.byteCount(bitCount: bitCount)
          }
        }
      }
    }
  }
}
