extension PEMBlock {
  /// Decodes padded base64, strictly but for white space, which is skipped.
  /// - Throws: `.malformedPEM` for another character, wrong padding, or bits after the last byte that are not zero.
  ///
  /// Timing: depends on the length and on where white space and padding stand.
  static func decodedBase64(_ text: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
    var count = 0
    for byte in text where !isWhiteSpace(byte) { count &+= 1 }
    // The characters without white space are as secret as what they stand for.
    let characters = SecretBytes(count: count) { characters in
      var written = 0
      for byte in text where !isWhiteSpace(byte) {
        characters[written] = byte
        written &+= 1
      }
    }
    return try characters.withUnsafeBytes { characters throws(CryptoError) in try decodedPacked(characters) }
  }

  private static func decodedPacked(_ text: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
    let paddingCount = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    let characters = UnsafeRawBufferPointer(rebasing: text.dropLast(paddingCount))
    guard text.count & 3 == 0, let byteCount = Base64Alphabet.decodedCount(characters.count) else {
      throw CryptoError(.malformedPEM, "the base64 is cut off or not padded")
    }
    return try SecretBytes(count: byteCount) { bytes throws(CryptoError) in
      guard Base64Alphabet.standard.decode(characters, into: bytes) else {
        throw CryptoError(.malformedPEM, "the base64 has a wrong character or stray bits")
      }
    }
  }

  /// Appends padded base64 in lines of 64 characters, each ended by LF.
  ///
  /// Timing: depends on the length only.
  static func appendBase64(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    let count = Base64Alphabet.encodedCount(bytes.count)
    let characters = SecretBytes(count: (count &+ 3) / 4 &* 4) { characters in
      characters.withMemoryRebound(to: UInt8.self) { characters in
        Base64Alphabet.standard.encode(bytes, into: UnsafeMutableBufferPointer(rebasing: characters[..<count]))
        characters[count...].update(repeating: UInt8(ascii: "="))
      }
    }
    characters.withUnsafeBytes { characters in
      // Room for everything at once: a growing array would leave copies of a secret behind.
      text.reserveCapacity(text.count &+ characters.count &+ characters.count / 64 &+ 64)
      for start in stride(from: 0, to: characters.count, by: 64) {
        text.append(contentsOf: characters[start..<min(start &+ 64, characters.count)])
        text.append(UInt8(ascii: "\n"))
      }
    }
  }
}
