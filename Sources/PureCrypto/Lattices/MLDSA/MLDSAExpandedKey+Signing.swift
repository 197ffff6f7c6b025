extension MLDSAExpandedKey {
  /// Signs.
  /// - Parameter mu: µ, 64 bytes.
  /// - Parameter randomness: rnd, 32 bytes.
  ///
  /// What is public of a try that is rejected: that it was, and by which of two questions. Its challenge is not, nor
  /// what it is made of.
  ///
  /// Timing: depends on the number of tries and on those two answers, which are independent of the key.
  /// Source: FIPS 204 algorithm 7.
  func signature(mu: UnsafeRawBufferPointer, randomness: UnsafeRawBufferPointer) -> [UInt8] {
    let parameterSet = publicKey.parameterSet
    var signature = [UInt8](repeating: 0, count: parameterSet.signatureByteCount)
    signature.withUnsafeMutableBytes { signature in
      publicKey.rawRepresentation.withUnsafeBytes { key in
        MLDSAVector.withMatrix(parameterSet, UnsafeRawBufferPointer(rebasing: key[..<32])) { matrix in
          withSecrets { k, s1, s2, t0 in
            withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { seed in
              defer { wipe(seed) }
              // ρ″ = H(K ‖ rnd ‖ µ)
              var sponge = KeccakSponge.shake256
              sponge.update(k)
              sponge.write(randomness, mu, to: seed)
              wipe(&sponge)
              MLDSAVector.withRoom(MLDSATry.polynomialCount(parameterSet)) { room in
                var nonce = 0
                let attempt = MLDSATry(
                  parameterSet: parameterSet, matrix: matrix, s1: s1, s2: s2, t0: t0, mu: mu,
                  seed: UnsafeRawBufferPointer(seed), room: room)
                while !attempt.succeeds(nonce: nonce, signature) { nonce &+= parameterSet.columnCount }
              }
            }
          }
        }
      }
    }
    return signature
  }
}

/// One turn of the loop of FIPS 204 algorithm 7.
private struct MLDSATry {
  let parameterSet: MLDSAParameterSet
  /// Â.
  let matrix: MLDSAVector
  /// Transforms.
  let s1: MLDSAVector, s2: MLDSAVector, t0: MLDSAVector
  /// µ.
  let mu: UnsafeRawBufferPointer
  /// ρ″.
  let seed: UnsafeRawBufferPointer
  /// Room for y, ŷ, w, w₁, c and a product.
  let room: MLDSAVector

  static func polynomialCount(_ parameterSet: MLDSAParameterSet) -> Int {
    2 &* parameterSet.columnCount &+ 2 &* parameterSet.rowCount &+ 2
  }

  /// Writes a signature, unless it would tell something of the key.
  /// - Parameter nonce: κ.
  /// - Parameter signature: as long as the parameter set says. Without success it has nothing of this try.
  func succeeds(nonce: Int, _ signature: UnsafeMutableRawBufferPointer) -> Bool {
    let (rows, columns) = (parameterSet.rowCount, parameterSet.columnCount)
    let rounding = parameterSet.rounding
    let y = room
    let transform = y.from(columns)
    let w = transform.from(columns)
    let w1 = w.from(rows)
    let (challenge, product) = (w1[rows], w1[rows &+ 1])
    y.setMask(seed: seed, firstNonce: nonce, parameterSet)
    for column in 0..<columns {
      transform[column].copy(y[column])
      transform[column].transform()
    }
    // w = NTT⁻¹(Â ŷ), w₁ = HighBits(w), c̃ = H(µ ‖ w₁)
    for row in 0..<rows {
      w[row].setToProduct(matrix[columns &* row].coefficients, transform.start, count: columns)
      w[row].transformBack()
      w[row].reduce()
      w1[row].copy(w[row])
      w1[row].takeHighBits(rounding)
    }
    return withUnsafeTemporaryAllocation(byteCount: parameterSet.commitmentByteCount, alignment: 8) { commitment in
      defer { wipe(commitment) }
      w1.hashHighBits(mu: mu, parameterSet, to: commitment)
      challenge.setChallenge(seed: UnsafeRawBufferPointer(commitment), weight: parameterSet.challengeWeight)
      challenge.transform()
      // z = y + c s₁ and w − c s₂: neither z nor the low bits may come near their bounds.
      var isHidden = Mask.yes
      for column in 0..<columns {
        product.setToProduct(challenge.coefficients, s1[column].coefficients, count: 1)
        product.transformBack()
        y[column].add(product)
        isHidden = isHidden & y[column].isWithin(parameterSet.gamma1 &- parameterSet.beta)
      }
      for row in 0..<rows {
        product.setToProduct(challenge.coefficients, s2[row].coefficients, count: 1)
        product.transformBack()
        w[row].subtract(product)
        isHidden = isHidden & w[row].hasLowBits(within: rounding.gamma2 &- parameterSet.beta, rounding)
      }
      guard isHidden.declassified else { return false }
      // A hint wherever c t₀, which the verifier doesn't know, changes the high bits.
      var isShort = Mask.yes
      var hintCount: UInt64 = 0
      for row in 0..<rows {
        product.setToProduct(challenge.coefficients, t0[row].coefficients, count: 1)
        product.transformBack()
        product.reduce()
        isShort = isShort & product.isWithin(rounding.gamma2)
        product.add(w[row])
        hintCount &+= w[row].setToHints(product, rounding)
      }
      let hasRoom = Mask(hintCount, isLessThan: UInt64(truncatingIfNeeded: parameterSet.maximumHintCount &+ 1))
      guard (isShort & hasRoom).declassified else { return false }
      write(commitment: UnsafeRawBufferPointer(commitment), z: y, hints: w, to: signature)
      return true
    }
  }

  /// c̃ ‖ z ‖ h.
  /// Source: FIPS 204 algorithm 26.
  private func write(
    commitment: UnsafeRawBufferPointer, z: MLDSAVector, hints: MLDSAVector, to signature: UnsafeMutableRawBufferPointer
  ) {
    let bitCount = parameterSet.maskBitCount
    var offset = commitment.count
    signature.copyMemory(from: commitment)
    for column in 0..<parameterSet.columnCount {
      z[column].subtract(from: parameterSet.gamma1)
      PackedIntegers.pack(
        z[column].coefficients, bitCount: bitCount, to: UnsafeMutableRawBufferPointer(rebasing: signature[offset...]))
      offset &+= PackedIntegers.byteCount(bitCount: bitCount)
    }
    MLDSAHints.pack(hints, parameterSet, to: UnsafeMutableRawBufferPointer(rebasing: signature[offset...]))
  }
}
