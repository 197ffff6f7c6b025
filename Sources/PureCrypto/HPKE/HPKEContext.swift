extension HPKE {
  /// Keys, and the number of the next message: what senders and recipients have in common.
  ///
  /// It can't be copied, and a change has exclusive access: no number is used twice.
  /// Source: RFC 9180 §5.2, §5.3.
  struct Context: ~Copyable, Sendable {
    private enum Cipher {
      case gcm(AESGCM)
      case chaChaPoly(ChaCha20Poly1305)
      case none
    }

    private let cipher: Cipher
    private let baseNonce: SecretBytes
    private let exporterSecret: SecretBytes
    private let labeled: LabeledKDF
    private let isOneStage: Bool
    /// The number of the next message. 2⁶⁴ − 1 is not used: the number behind it would be 0 again.
    private(set) var sequenceNumber: UInt64

    /// Of each AEAD.
    static let tagByteCount = ChaCha20Poly1305.AuthenticationTag.byteCount

    init(_ schedule: KeySchedule, _ suite: Ciphersuite, sequenceNumber: UInt64) throws(CryptoError) {
      cipher =
        switch suite.aead.cipher {
        case .gcm: .gcm(try AESGCM(key: schedule.key))
        case .chaChaPoly: .chaChaPoly(try ChaCha20Poly1305(key: schedule.key))
        case .none: .none
        }
      baseNonce = schedule.baseNonce
      exporterSecret = schedule.exporterSecret
      labeled = schedule.labeled
      isOneStage = suite.kdf.isOneStage
      self.sequenceNumber = sequenceNumber
    }

    mutating func seal(
      _ plaintext: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
      try checkSequenceNumber()
      let count = plaintext.count
      var failure: CryptoError?
      let sealed = [UInt8](unsafeUninitializedCapacity: count &+ Self.tagByteCount) { buffer, initializedCount in
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        let output = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
        // As long as a tag: the capacity is at least what was asked for.
        let tag = UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count &+ Self.tagByteCount])
        do throws(CryptoError) {
          try seal(from: plaintext, to: output, tag: tag, data)
          initializedCount = count &+ Self.tagByteCount
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      sequenceNumber &+= 1
      return sealed
    }

    private func seal(
      from plaintext: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
      tag: UnsafeMutableRawBufferPointer, _ data: UnsafeRawBufferPointer
    ) throws(CryptoError) {
      switch cipher {
      case .gcm(let cipher):
        tag.copyBytes(
          from: try cipher.seal(
            from: plaintext, to: output, authenticating: data, from: gcmNonce().initialCounterBlock))
      case .chaChaPoly(let cipher):
        tag.copyBytes(from: try cipher.seal(from: plaintext, to: output, authenticating: data, chaChaNonce()))
      case .none: throw Self.exportsOnly
      }
    }

    mutating func open(
      _ ciphertext: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
      try checkSequenceNumber()
      let (input, tag) = try Self.parts(of: ciphertext)
      let count = input.count
      var failure: CryptoError?
      // At least one byte: the storage of empty arrays is shared by all threads, and not even its count may be written.
      let plaintext = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, initializedCount in
        let output = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
        do throws(CryptoError) {
          try open(from: input, to: output, tag: tag, data)
          initializedCount = count
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      sequenceNumber &+= 1
      return plaintext
    }

    /// The same into storage that is wiped, with no additional data.
    mutating func openSecret(_ ciphertext: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
      try checkSequenceNumber()
      let (input, tag) = try Self.parts(of: ciphertext)
      let plaintext = try SecretBytes(count: input.count) { output throws(CryptoError) in
        try open(from: input, to: output, tag: tag, UnsafeRawBufferPointer(rebasing: ciphertext[..<0]))
      }
      sequenceNumber &+= 1
      return plaintext
    }

    private static func parts(
      of ciphertext: UnsafeRawBufferPointer
    ) throws(CryptoError) -> (input: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer) {
      let count = ciphertext.count &- tagByteCount
      guard count >= 0 else {
        throw CryptoError(.authenticationFailed, "the ciphertext is shorter than its authentication tag")
      }
      return (
        UnsafeRawBufferPointer(rebasing: ciphertext[..<count]), UnsafeRawBufferPointer(rebasing: ciphertext[count...])
      )
    }

    private func open(
      from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, tag: UnsafeRawBufferPointer,
      _ data: UnsafeRawBufferPointer
    ) throws(CryptoError) {
      switch cipher {
      case .gcm(let cipher):
        try cipher.open(
          from: input, to: output, tag: tag, authenticating: data, from: gcmNonce().initialCounterBlock)
      case .chaChaPoly(let cipher):
        try cipher.open(from: input, to: output, tag: tag, authenticating: data, chaChaNonce())
      case .none: throw Self.exportsOnly
      }
    }

    func export(context: [UInt8], byteCount: Int) throws(CryptoError) -> SecretBytes {
      isOneStage
        ? try labeled.derive([exporterSecret], "sec", context, byteCount)
        : try labeled.expand(exporterSecret, "sec", context, byteCount)
    }

    private static var exportsOnly: CryptoError {
      CryptoError(.usageLimitReached, "the suite is for exports only and takes no messages")
    }

    private func checkSequenceNumber() throws(CryptoError) {
      guard sequenceNumber < .max else {
        throw CryptoError(.usageLimitReached, "the keys have served for 2^64 - 1 messages")
      }
    }

    /// The nonce of the next message: base_nonce ⊕ sequence number, which is 12 bytes long, most significant first.
    private func nonceWords() -> (UInt32, UInt64) {
      baseNonce.withUnsafeBytes { bytes in
        // 12 bytes: where there is a cipher, there is a nonce.
        (
          UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)),
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self)) ^ sequenceNumber
        )
      }
    }

    private func gcmNonce() -> AESGCM.InitializationVector {
      let words = nonceWords()
      return AESGCM.InitializationVector(fixedField: words.0, invocationField: words.1)
    }

    private func chaChaNonce() throws(CryptoError) -> ChaCha20Poly1305.Nonce {
      let words = nonceWords()
      let bytes = (
        words.0.bigEndian, UInt32(truncatingIfNeeded: words.1 &>> 32).bigEndian,
        UInt32(truncatingIfNeeded: words.1).bigEndian
      )
      return try withUnsafeBytes(of: bytes) { bytes throws(CryptoError) in try ChaCha20Poly1305.Nonce(raw: bytes) }
    }
  }
}
