/// EME-OAEP: 00 ‖ maskedSeed ‖ maskedDB, with
///
///     DB         = Hash(label) ‖ 00 … 00 ‖ 01 ‖ message
///     maskedDB   = DB ⊕ MGF1(seed)
///     maskedSeed = seed ⊕ MGF1(maskedDB)
///
/// Source: RFC 8017 §7.1.
package struct OAEPEncoding {
  let padding: RSAEncryptionPadding
  let label: UnsafeRawBufferPointer

  /// - Parameter label: empty in JOSE.
  package init(
    padding: RSAEncryptionPadding, label: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) {
    self.padding = padding
    self.label = label
  }

  /// The longest message for a modulus of this length. It has at least 256 bytes: never negative.
  static func maximumByteCount(modulusByteCount: Int, padding: RSAEncryptionPadding) -> Int {
    modulusByteCount &- 2 &* padding.digestByteCount &- 2
  }

  private func seed(_ encoded: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: encoded[1..<(1 &+ padding.digestByteCount)])
  }

  private func data(_ encoded: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: encoded[(1 &+ padding.digestByteCount)...])
  }

  /// Writes the encoding of a message.
  /// - Parameter encoded: as long as the modulus.
  /// - Parameter message: at most ``maximumByteCount(modulusByteCount:padding:)`` bytes.
  package func encode(_ message: UnsafeRawBufferPointer, into encoded: UnsafeMutableRawBufferPointer) {
    encoded.initializeMemory(as: UInt8.self, repeating: 0)
    let seed = seed(encoded)
    let data = data(encoded)
    padding.hash(label, UnsafeRawBufferPointer(start: nil, count: 0), into: data)
    let start = data.count &- message.count
    data[start &- 1] = 0x01
    UnsafeMutableRawBufferPointer(rebasing: data[start...]).copyMemory(from: message)
    SystemRandom.fill(seed)
    padding.mask(data, seed: UnsafeRawBufferPointer(seed))
    padding.mask(seed, seed: UnsafeRawBufferPointer(data))
  }

  /// A message's place, and whether there is one: still a secret.
  package struct Decoded {
    /// DB, which ends with the message.
    let data: UnsafeMutableRawBufferPointer
    /// Where the message begins in DB. Meaningless when the encoding is not valid.
    package let messageStart: UInt64
    /// Whether every byte is what it must be.
    let isValid: Mask
  }

  /// Unmasks an encoding in place and looks at all of it. Which of its bytes is wrong can't be told from outside: an
  /// attacker who learns that the first one is not zero can decrypt (Manger 2001).
  /// - Parameter encoded: as long as the modulus. Overwritten.
  ///
  /// Timing: depends on the lengths only.
  package func decode(_ encoded: UnsafeMutableRawBufferPointer) -> Decoded {
    let seed = seed(encoded)
    let data = data(encoded)
    padding.mask(seed, seed: UnsafeRawBufferPointer(data))
    padding.mask(data, seed: UnsafeRawBufferPointer(seed))
    return withUnsafeTemporaryAllocation(byteCount: padding.digestByteCount, alignment: 8) { labelHash in
      padding.hash(label, UnsafeRawBufferPointer(start: nil, count: 0), into: labelHash)
      var isValid =
        Mask(isZero: UInt64(encoded[0]))
        & ConstantTime.equality(UnsafeRawBufferPointer(labelHash), UnsafeRawBufferPointer(data))
      // Zeros up to the first other byte, which is 01.
      var isSearching = Mask.yes
      var messageStart: UInt64 = 0
      for position in padding.digestByteCount..<data.count {
        let byte = UInt64(data[position])
        let isEnd = isSearching & ~Mask(isZero: byte)
        isValid = isValid & (~isEnd | Mask(byte, equals: 1))
        messageStart = isEnd.select(UInt64(truncatingIfNeeded: position &+ 1), messageStart)
        isSearching = isSearching & ~isEnd
      }
      return Decoded(data: data, messageStart: messageStart, isValid: isValid & ~isSearching)
    }
  }
}
