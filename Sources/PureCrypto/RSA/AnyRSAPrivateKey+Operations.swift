extension AnyRSAPrivateKey {
  /// The RSA private operation: x^d mod n, which signs an encoded digest or decrypts a ciphertext.
  ///
  /// x is blinded: with a random r, (x rᵉ)^d · r⁻¹ = x^d. All that is done with secrets works on y = x rᵉ and
  /// on y^d = x^d r: also the halves y^d mod p and mod q and what puts them together, so that nothing there is a
  /// function of the input that a sender could choose. Only y^d mod n, complete, is unblinded by a product with r⁻¹
  /// mod n. The result is raised to e again before anybody sees it: a fault in one of the two halves would otherwise
  /// reveal a prime (Boneh, DeMillo, Lipton 1997).
  /// - Parameter input: x, as long as the modulus, most significant byte first.
  /// - Parameter body: gets the result, as long as the modulus. Wiped afterwards.
  /// - Returns: `nil` when the length is another one, x is not below n, or the result is faulty.
  ///
  /// Timing: depends on the size of the key, on e and on whether x < n.
  /// Source: RFC 8017 §5.1.2, §5.2.1.
  func withPower<Result>(
    of input: UnsafeRawBufferPointer, _ body: (UnsafeMutableRawBufferPointer) -> Result
  ) -> Result? {
    guard input.count == publicKey.byteCount else { return nil }
    let count = publicKey.limbCount
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 8 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let x = room.baseAddress else { return nil }
      room.initialize(repeating: 0)
      let r = x + count
      let inverse = r + count
      let blinded = inverse + count
      let result = blinded + count
      let scratch = result + count
      LimbRun.load(x, count: count, bigEndian: input)
      let isDone = publicKey.withModulus { n, radixSquared in
        guard LimbRun.isLess(x, than: n.limbs, count: count).declassified else { return false }
        // A random integer below R, times R² · R⁻¹: below n, and as good as uniform. 0 would be found as a fault.
        SystemRandom.fill(UnsafeMutableRawBufferPointer(start: result, count: 8 &* count))
        n.multiply(r, result, radixSquared, scratch)
        n.inverse(inverse, of: r)
        // y = x · rᵉ
        publicKey.power(blinded, r, scratch)
        n.multiply(result, x, radixSquared, scratch)
        n.multiply(blinded, blinded, result, scratch)
        if let factors {
          factors.power(result, blinded, modulusCount: count)
        } else {
          withExponent { d in
            n.multiply(blinded, blinded, radixSquared, scratch)
            n.power(
              result, blinded, exponent: d, exponentCount: count, radixSquared: radixSquared)
            n.integer(result, of: result, scratch)
          }
        }
        // y^d · r⁻¹
        n.multiply(inverse, inverse, radixSquared, scratch)
        n.multiply(result, result, inverse, scratch)
        publicKey.power(blinded, result, scratch)
        return LimbRun.equality(blinded, x, count: count).declassified
      }
      guard isDone else { return nil }
      let bytes = UnsafeMutableRawBufferPointer(start: x, count: publicKey.byteCount)
      LimbRun.store(result, count: count, bigEndian: bytes)
      return body(bytes)
    }
  }
}

extension RSAPrimeFactors {
  /// result ← y^d mod n by the Chinese remainder theorem.
  /// - Parameter y: `modulusCount` ≤ 2 · count limbs, below n, as the result.
  fileprivate func power(
    _ result: UnsafeMutablePointer<UInt64>, _ y: UnsafePointer<UInt64>, modulusCount: Int
  ) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 5 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let product = room.baseAddress else { return }
      room.initialize(repeating: 0)
      let sp = product + 2 &* count
      let sq = sp + count
      let h = sq + count
      withView { view in
        // sp = y^dp mod p, sq = y^dq mod q. y is below n = pq < p · R.
        for (modulus, radixSquared, s) in [(view.p, view.radixSquaredP, sp), (view.q, view.radixSquaredQ, sq)] {
          modulus.form(s, of: y, aCount: modulusCount, radixSquared: radixSquared, product)
        }
        powers(view, sp, sq, product)
        // h = (sp − sq) · qi mod p, with sp and sq in the form of p until qi takes h out of it.
        view.p.multiply(h, sq, view.radixSquaredP, product)
        view.p.difference(h, sp, h)
        view.p.multiply(h, h, view.qi, product)
        // s = sq + q · h ≤ (q − 1) + q (p − 1) < n
        LimbRun.product(product, view.q.limbs, aCount: count, h, bCount: count)
        LimbRun.increase(product, by: sq, byCount: count, count: 2 &* count)
        result.update(from: product, count: modulusCount)
      }
    }
  }
}

extension RSAPrimeFactors {
  /// sp ← sp^dp mod p, in the form of p before and after, and sq ← sq^dq mod q, in the form of q before, and an
  /// integer after.
  /// - Parameter product: room for 2 · count limbs.
  private func powers(
    _ view: View, _ sp: UnsafeMutablePointer<UInt64>, _ sq: UnsafeMutablePointer<UInt64>,
    _ product: UnsafeMutablePointer<UInt64>
  ) {
    #if HARDWARE_KERNELS && arch(x86_64)
      if let vectors = view.vectors {
        view.p.integer(sp, of: sp, product)
        view.q.integer(sq, of: sq, product)
        vectors.powers(
          VectorModulus.Power(r: sp, exponent: view.dp, modulus: view.p),
          VectorModulus.Power(r: sq, exponent: view.dq, modulus: view.q))
        view.p.multiply(sp, sp, view.radixSquaredP, product)
        return
      }
    #endif
    view.p.power(sp, sp, exponent: view.dp, exponentCount: count, radixSquared: view.radixSquaredP)
    view.q.power(sq, sq, exponent: view.dq, exponentCount: count, radixSquared: view.radixSquaredQ)
    view.q.integer(sq, of: sq, product)
  }
}

extension AnyRSAPrivateKey {
  /// Decrypts a short message.
  /// - Parameter ciphertext: as long as the modulus.
  /// - Parameter padding: that of the sender: a ciphertext does not say which it is.
  /// - Returns: the message, whose length is no longer a secret.
  /// - Throws: `.decryptionFailed`, whatever is wrong.
  ///
  /// Timing: depends on the lengths; until the message is known to be valid, on nothing else.
  /// Source: RFC 8017 §7.1.2.
  @inlinable
  package func decrypt(
    _ ciphertext: some Collection<UInt8>, padding: RSAEncryptionPadding
  ) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
      try decrypt(ciphertext, padding: padding, label: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// - Parameter label: empty in JOSE.
  @usableFromInline
  package func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, padding: RSAEncryptionPadding, label: UnsafeRawBufferPointer
  ) throws(CryptoError) -> SecretBytes {
    let message: SecretBytes?? = withPower(of: ciphertext) { encoded in
      let decoded = OAEPEncoding(padding: padding, label: label).decode(encoded)
      guard decoded.isValid.declassified else { return nil }
      // Below 2¹⁰, since a modulus has no more than 1024 bytes, and so is the length that is returned.
      let start = Int(truncatingIfNeeded: declassified(decoded.messageStart, bitCount: 10))
      return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: decoded.data[start...]))
    }
    guard let message, let message else {
      throw CryptoError(.decryptionFailed, "the ciphertext could not be decrypted")
    }
    return message
  }

  /// Decrypts a key whose length is known. If anything is wrong, length included, the result is random, and a sender
  /// can't tell that from the time it took: what is encrypted with the key will then fail to open.
  /// - Parameter byteCount: the length of the key, at most 128.
  ///
  /// Timing: depends on the lengths, and on whether the ciphertext is as long as the modulus and below it.
  /// Source: RFC 8017 §7.1.2, RFC 7516 §11.5.
  package func decryptKey(
    _ ciphertext: some Collection<UInt8>, padding: RSAEncryptionPadding, byteCount: Int
  ) -> SecretBytes {
    let substitute = SecretBytes.random(count: byteCount)
    guard byteCount <= 128 else { return substitute }
    let key: SecretBytes? = withContiguousBytes(ciphertext) { ciphertext in
      withPower(of: ciphertext) { encoded in
        let label = UnsafeRawBufferPointer(start: nil, count: 0)
        let decoded = OAEPEncoding(padding: padding, label: label).decode(encoded)
        // DB of a modulus of 2048 bits or more is longer than 190 bytes.
        let start = decoded.data.count &- byteCount
        let isValid = decoded.isValid & Mask(decoded.messageStart, equals: UInt64(truncatingIfNeeded: start))
        return SecretBytes(count: byteCount) { key in
          substitute.withUnsafeBytes { substitute in
            for position in 0..<byteCount {
              key[position] = isValid.select(decoded.data[start &+ position], substitute[position])
            }
          }
        }
      }
    }
    return key ?? substitute
  }
}

extension AnyRSAPrivateKey {
  /// Signs a message.
  /// - Parameter message: the bytes to sign, of any length. Not treated as a secret.
  /// - Parameter padding: how the digest is encoded. PSS takes a fresh random salt as long as the digest.
  /// - Parameter function: the hash function, for instance `SHA2.SHA256.self`.
  /// - Returns: a signature as long as the modulus.
  /// - Throws: `.invalidPrivateKey` when the result did not verify, because the key is not what it seems or the machine
  ///   made a mistake. Nothing of the result is released.
  ///
  /// Timing: depends on the lengths of message and key, not on the private integers.
  /// Source: RFC 8017 §8.1.1, §8.2.1.
  @inlinable
  package func signature<Function: SHA2Function>(
    for message: some Collection<UInt8>, padding: RSASignaturePadding, function: Function.Type
  ) throws(CryptoError) -> [UInt8] {
    try signature(forDigest: Function.hash(message), padding: padding, function: function)
  }

  /// Signs a digest.
  /// - Throws: `.invalidPrivateKey` as ``signature(for:padding:function:)``.
  ///
  /// Timing: depends on the length of the key, not on the private integers.
  /// Source: RFC 8017 §8.1.1, §8.2.1.
  @usableFromInline
  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, padding: RSASignaturePadding, function: Function.Type
  ) throws(CryptoError) -> [UInt8] {
    try signature { encoded in
      switch padding {
      case .pkcs1v15: PKCS1Encoding.encode(digest, into: encoded)
      case .pss:
        let salt = SystemRandom.bytes(count: Function.digestByteCount)
        salt.withUnsafeBytes { salt in
          PSSEncoding.encode(
            digest, salt: salt, function: function, modulusBitCount: publicKey.bitCount, into: encoded)
        }
      }
    }
  }

  /// Signs what `encode` writes, which must be below n: the first byte of both encodings sees to that.
  private func signature(
    of encode: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(CryptoError) -> [UInt8] {
    let signature: [UInt8]? = withUnsafeTemporaryAllocation(byteCount: publicKey.byteCount, alignment: 8) { encoded in
      encode(encoded)
      return withPower(of: UnsafeRawBufferPointer(encoded)) { Array($0) }
    }
    guard let signature else { throw CryptoError(.invalidPrivateKey, "the signature did not verify") }
    return signature
  }
}
