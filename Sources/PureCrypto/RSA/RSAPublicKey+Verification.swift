extension RSAPublicKey {
  /// Whether `signature` is a valid signature of `message` by this key.
  /// - Parameter signature: exactly `byteCount` bytes.
  /// - Parameter message: the bytes that were signed.
  /// - Parameter padding: how the digest is encoded. It is never guessed from the signature.
  /// - Parameter function: the hash function, for instance `SHA2.SHA256.self`.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: RFC 8017 §8.1.2, §8.2.2.
  @inlinable
  public func isValidSignature<Function: SHA2Function>(
    _ signature: some Collection<UInt8>, for message: some Collection<UInt8>, padding: RSASignaturePadding,
    function: Function.Type
  ) -> Bool {
    isValidSignature(signature, forDigest: Function.hash(message), padding: padding, function: function)
  }

  /// Whether `signature` is a valid signature of the digest by this key.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: RFC 8017 §8.1.2, §8.2.2.
  @inlinable
  public func isValidSignature<Function: SHA2Function>(
    _ signature: some Collection<UInt8>, forDigest digest: Function.Digest, padding: RSASignaturePadding,
    function: Function.Type
  ) -> Bool {
    withContiguousBytes(signature) { signature in
      switch padding {
      case .pkcs1v15: isValidPKCS1Signature(signature, digest: digest, function: function)
      case .pss:
        isValidPSSSignature(
          signature, digest: digest, saltByteCount: Function.digestByteCount, function: function)
      }
    }
  }

  /// Builds the whole encoding that the digest must have and compares all of it. Nothing is parsed: a parser that was
  /// lenient about the padding let anybody forge signatures of keys with e = 3 (Bleichenbacher 2006).
  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  @usableFromInline
  func isValidPKCS1Signature<Function: SHA2Function>(
    _ signature: UnsafeRawBufferPointer, digest: Function.Digest, function: Function.Type
  ) -> Bool {
    withPower(of: signature) { encoded in
      withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { expected in
        PKCS1Encoding.encode(digest, into: expected)
        return ConstantTime.equal(UnsafeRawBufferPointer(encoded), UnsafeRawBufferPointer(expected))
      }
    } ?? false
  }

  /// - Parameter saltByteCount: 0 … 64. JOSE knows one length only, that of the digest.
  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  @usableFromInline
  package func isValidPSSSignature<Function: SHA2Function>(
    _ signature: UnsafeRawBufferPointer, digest: Function.Digest, saltByteCount: Int, function: Function.Type
  ) -> Bool {
    withPower(of: signature) { encoded in
      PSSEncoding.isValidVariableTime(
        encoded, digest: digest, saltByteCount: saltByteCount, function: function, modulusBitCount: bitCount)
    } ?? false
  }
}
