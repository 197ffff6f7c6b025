import PureCrypto
import StrictJSON

/// Whether octets are a key or certificate file.
///
/// Looked for are PEM and OpenSSH texts, wherever in the octets they begin; a JWK or JWK Set; and DER. Any of these may
/// be written in UTF-16, in hexadecimal digits, or in base64 of either alphabet, one in another up to three times. A
/// byte order mark changes nothing.
enum KeyFileLikeness {
  // Octets are lent for the call. Each index is below the count: it comes from a stride up to it, or from a comparison.

  /// How deeply nested encodings (PEM in hex in base64) are searched.
  private static let maximumDepth = 3

  /// Whether the octets may be such a file: whether a text of ``markers`` occurs, whether they are base64 or
  /// hexadecimal digits with separators throughout, whether every other octet is zero, or whether the first is one with
  /// which the other files begin. No for all but one in twenty-eight random secrets.
  ///
  /// Timing: depends on the octets' number only.
  static func mayBeKeyFile(_ octets: UnsafeRawBufferPointer) -> Mask {
    guard let first = unsafe octets.first else { return .no }
    var mayBe = unsafe isText(octets) | isWide(octets, zerosAt: 0) | isWide(octets, zerosAt: 1)
    for begin: UInt64 in [0x20, 0x09, 0x0A, 0x0D, 0x7B, 0x30, 0xEF, 0xFE, 0xFF] {
      mayBe = mayBe | Mask(UInt64(first), equals: begin)
    }
    for marker in markers { mayBe = unsafe mayBe | occurs(marker, in: octets) }
    return mayBe
  }

  /// Whether the octets are such a file.
  @inline(never)
  static func isKeyFileVariableTime(_ octets: UnsafeRawBufferPointer) -> Bool {
    unsafe isKeyFileVariableTime(octets, depth: maximumDepth)
  }

  private static func isKeyFileVariableTime(_ octets: UnsafeRawBufferPointer, depth: Int) -> Bool {
    if unsafe isPlainKeyFile(octets) { return true }
    guard depth > 0 else { return false }
    return unsafe [narrowed(octets), hexadecimalContent(octets), base64Content(octets)].contains { content in
      content.map { unsafe $0.withUnsafeBytes { unsafe isKeyFileVariableTime($0, depth: depth - 1) } } ?? false
    }
  }

  private static func isPlainKeyFile(_ octets: UnsafeRawBufferPointer) -> Bool {
    if markers.contains(where: { unsafe occurs($0, in: octets).declassified }) { return true }
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let unmarked = unsafe octets.starts(with: byteOrderMark) ? octets.dropFirst(byteOrderMark.count) : octets[...]
    let text = unsafe unmarked.drop(while: isWhiteSpace)
    // What is no object is not parsed: a parser copies, and this may be a secret after all.
    if unsafe text.first == 0x7B, unsafe text.last(where: { !isWhiteSpace($0) }) == 0x7D,
      let object = try? unsafe JSONObject(parsing: text, within: Limits.default.keySetJSON)
    {
      return object["kty"] != nil || object["keys"] != nil
    }
    return unsafe isCertificateOrKeyInDER(octets)
  }

  private static func isWhiteSpace(_ octet: UInt8) -> Bool {
    octet == 0x20 || octet == 0x09 || octet == 0x0A || octet == 0x0D
  }

  /// The text if the octets are UTF-16: ASCII with zeros between, with or without a byte order mark.
  private static func narrowed(_ octets: UnsafeRawBufferPointer) -> SecretBytes? {
    let isMarked = unsafe octets.starts(with: [0xFF, 0xFE]) || octets.starts(with: [0xFE, 0xFF])
    let text = unsafe UnsafeRawBufferPointer(rebasing: octets.dropFirst(isMarked ? 2 : 0))
    for zeros in 0...1 where unsafe !text.isEmpty && isWide(text, zerosAt: zeros).declassified {
      let places = stride(from: 1 - zeros, to: text.count, by: 2)
      // As many as there are places.
      return unsafe SecretBytes(count: (text.count + zeros) / 2) { output in
        for (index, place) in places.enumerated() { unsafe output[index] = unsafe text[place] }
      }
    }
    return nil
  }

  /// Whether every other octet is zero, from that index on.
  /// Timing: depends on the length only.
  private static func isWide(_ octets: UnsafeRawBufferPointer, zerosAt start: Int) -> Mask {
    var sum: UInt8 = 0
    for index in stride(from: start, to: octets.count, by: 2) { unsafe sum |= octets[index] }
    return Mask(isZero: UInt64(sum))
  }

  /// How PEM and SSH files begin, and the base64 of OpenSSH's own format.
  private static let markers: [[UInt8]] = [
    "-----BEGIN ", "---- BEGIN ", "ssh-rsa ", "ssh-dss ", "ssh-ed25519 ", "ecdsa-sha2-nistp", "sk-ssh-ed25519",
    "AAAAB3NzaC1yc2E", "AAAAC3NzaC1lZDI1NTE5", "AAAAE2VjZHNhLXNoYTIt",
  ].map { Array($0.utf8) }

  /// Whether a text occurs somewhere.
  /// Timing: depends on lengths only.
  private static func occurs(_ text: [UInt8], in octets: UnsafeRawBufferPointer) -> Mask {
    guard octets.count >= text.count else { return .no }
    var found = Mask.no
    for start in 0...(octets.count - text.count) {
      var difference: UInt8 = 0
      for place in 0..<text.count { unsafe difference |= octets[start + place] ^ text[place] }
      found = found | Mask(isZero: UInt64(difference))
    }
    return found
  }

  /// Whether every octet is one of base64 in either alphabet, padding, white space, or a colon as between hexadecimal
  /// digits.
  ///
  /// Timing: depends on the length only.
  private static func isText(_ octets: UnsafeRawBufferPointer) -> Mask {
    var isText = Mask.yes
    for place in octets.indices {
      let octet = UInt64(unsafe octets[place])
      // In a range of n from `first` if the distance from there, as an unsigned number, is below n.
      var isLegal = Mask(octet &- 0x30, isLessThan: 10)
      for first: UInt64 in [0x41, 0x61] { isLegal = isLegal | Mask(octet &- first, isLessThan: 26) }
      for character in "+/-_= \t\r\n:".utf8 { isLegal = isLegal | Mask(octet, equals: UInt64(character)) }
      isText = isText & isLegal
    }
    return isText
  }

  /// The octets that a text stands for if it is hexadecimal digits, after `0x` or not, with colons or white space
  /// between.
  private static func hexadecimalContent(_ octets: UnsafeRawBufferPointer) -> SecretBytes? {
    let isPrefixed = unsafe octets.starts(with: "0x".utf8) || octets.starts(with: "0X".utf8)
    let text = unsafe octets.dropFirst(isPrefixed ? 2 : 0)
    guard unsafe text.allSatisfy({ $0 == 0x3A || isWhiteSpace($0) || digit($0) != nil }) else { return nil }
    let digits = unsafe mapped(text, digit)
    guard digits.count > 0, digits.count.isMultiple(of: 2) else { return nil }
    return unsafe digits.withUnsafeBytes { digits in
      unsafe SecretBytes(count: digits.count / 2) { output in
        for index in 0..<digits.count / 2 {
          unsafe output[index] = digits[2 * index] << 4 | digits[2 * index + 1]
        }
      }
    }
  }

  private static func digit(_ octet: UInt8) -> UInt8? {
    switch octet {
    case 0x30...0x39: octet - 0x30
    case 0x41...0x46, 0x61...0x66: (octet | 0x20) - 0x61 + 10
    default: nil
    }
  }

  /// The octets that a text stands for if it is base64 of either alphabet, with or without padding and white space.
  private static func base64Content(_ octets: UnsafeRawBufferPointer) -> SecretBytes? {
    let characters = unsafe mapped(octets[...]) { octet in
      switch octet {
      case 0x2B: 0x2D
      case 0x2F: 0x5F
      case 0x3D, 0x20, 0x09, 0x0D, 0x0A: nil
      default: octet
      }
    }
    return unsafe characters.withUnsafeBytes { try? unsafe Base64URL.decodeSecret(utf8: $0) }
  }

  /// What a closure makes of each octet, without those that it maps to nil: in memory that is wiped, since it may be a
  /// secret after all.
  private static func mapped(
    _ octets: UnsafeRawBufferPointer.SubSequence, _ map: (UInt8) -> UInt8?
  ) -> SecretBytes {
    // Counted with the same closure that fills.
    let byteCount = unsafe octets.count { map($0) != nil }
    let places = unsafe octets.indices
    return unsafe SecretBytes(count: byteCount) { output in
      var count = 0
      for place in places {
        guard let mapped = map(unsafe octets[place]) else { continue }
        unsafe output[count] = mapped
        count += 1
      }
    }
  }

  /// A DER SEQUENCE that holds a SEQUENCE or INTEGER first and spans exactly the octets: SPKI, PKCS#1, PKCS#8 or a
  /// certificate. The smallest of them, an Ed25519 key in SPKI, has 44 octets; most
  /// secrets are shorter.
  private static func isCertificateOrKeyInDER(_ octets: UnsafeRawBufferPointer) -> Bool {
    // The header has four octets at most.
    guard octets.count >= 44, unsafe octets[0] == 0x30 else { return false }
    let (headerCount, length): (Int, Int) =
      switch unsafe octets[1] {
      case 0x81: unsafe (3, Int(octets[2]))
      case 0x82: unsafe (4, Int(octets[2]) << 8 | Int(octets[3]))
      case 0..<0x80: unsafe (2, Int(octets[1]))
      default: (0, -1)
      }
    return unsafe length >= 0 && headerCount + length == octets.count
      && (octets[headerCount] == 0x30 || octets[headerCount] == 0x02)
  }
}
