/// The label of a PEM block, which says what the DER inside is.
///
/// Source: RFC 7468 §4.
package struct PEMLabel: Hashable, Sendable {
  /// The text between "BEGIN " or "END " and the hyphens.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// SubjectPublicKeyInfo.
  /// Source: RFC 7468 §13.
  package static let publicKey = PEMLabel("PUBLIC KEY")
  /// PKCS #8 PrivateKeyInfo.
  /// Source: RFC 7468 §10.
  package static let privateKey = PEMLabel("PRIVATE KEY")
  /// PKCS #8 EncryptedPrivateKeyInfo, which takes a password to read.
  /// Source: RFC 7468 §11.
  static let encryptedPrivateKey = PEMLabel("ENCRYPTED PRIVATE KEY")
  /// SEC 1 ECPrivateKey.
  /// Source: RFC 5915 §4.
  package static let ecPrivateKey = PEMLabel("EC PRIVATE KEY")
  /// The name of a curve, which OpenSSL writes before an elliptic curve key.
  static let ecParameters = PEMLabel("EC PARAMETERS")
  /// PKCS #1 RSAPublicKey.
  package static let rsaPublicKey = PEMLabel("RSA PUBLIC KEY")
  /// PKCS #1 RSAPrivateKey.
  package static let rsaPrivateKey = PEMLabel("RSA PRIVATE KEY")
  /// An X.509 certificate.
  /// Source: RFC 7468 §5.
  package static let certificate = PEMLabel("CERTIFICATE")

  /// Whether it is one of private keys.
  fileprivate var isPrivate: Bool { [.privateKey, .encryptedPrivateKey, .ecPrivateKey, .rsaPrivateKey].contains(self) }
}

/// A block of PEM text: a label, and DER in base64 between two boundary lines.
///
/// Source: RFC 7468.
package struct PEMBlock {
  package let label: PEMLabel
  /// The DER inside, wiped when it is no longer used: it may be a private key.
  package let contents: SecretBytes
  /// The curve that a block of parameters before this one names.
  private(set) var namedCurve: NamedCurve?

  package init(label: PEMLabel, contents: SecretBytes) {
    self.label = label
    self.contents = contents
  }

  /// Reads text that holds one block that is wanted.
  ///
  /// Explanatory text may stand around blocks, `EC PARAMETERS` before an elliptic curve key, and certificates before
  /// and after a private key: where they are not wanted, they are skipped unread.
  /// - Parameter text: lines ending in LF, CRLF or CR, the last one perhaps in neither. White space within the base64
  ///   is skipped; the base64 itself is strict.
  /// - Parameter labels: those the caller can make use of.
  /// - Throws: `.unsupportedKey` for a private key that is encrypted, where a private key is wanted; `.malformedPEM`
  ///   for anything else: another label, an END that differs from BEGIN, header lines, a second block, a certificate
  ///   beside a public key, certificates alone.
  ///
  /// Timing: depends on the positions of white space, not on the base64 characters.
  /// Source: RFC 7468 §2.
  package init(_ text: String, labels: [PEMLabel]) throws(CryptoError) {
    self = try withContiguousBytes(text.utf8) { text throws(CryptoError) in
      try PEMBlock(text, labels: labels)
    }
  }

  private init(_ text: UnsafeRawBufferPointer, labels: [PEMLabel]) throws(CryptoError) {
    var lines = PEMLines(text)
    var wanted: PEMLines.Block?
    var parameters: PEMLines.Block?
    var certificateCount = 0
    while let block = try lines.nextBlock() {
      if block.isLabelled(.certificate), !labels.contains(.certificate) {
        certificateCount &+= 1
      } else if block.isLabelled(.ecParameters), labels.contains(.ecPrivateKey), parameters == nil, wanted == nil {
        parameters = block
      } else if wanted == nil {
        wanted = block
      } else {
        throw CryptoError(.malformedPEM, "the PEM text has more than one key or block: keep the one that is meant")
      }
    }
    guard let wanted else {
      throw CryptoError(.malformedPEM, PEMText.fault(certificateCount) ?? lines.fault)
    }
    try Self.requireNotTraditionallyEncrypted(wanted)
    guard let label = labels.first(where: wanted.isLabelled), parameters == nil || label == .ecPrivateKey else {
      guard labels.contains(.privateKey), wanted.isLabelled(.encryptedPrivateKey) else {
        throw CryptoError(.malformedPEM, PEMText.fault(label: wanted.label))
      }
      throw PrivateKeyFile.encrypted
    }
    guard certificateCount == 0 || label.isPrivate else {
      throw CryptoError(.malformedPEM, "the text has both a certificate and a public key: keep the one that is meant")
    }
    self.init(label: label, contents: try PEMBlock.decodedBase64(wanted.body))
    if let parameters {
      namedCurve = try PEMBlock.decodedBase64(parameters.body).withUnsafeBytes { bytes throws(CryptoError) in
        var reader = DERReader(bytes)
        let curve = try reader.readNamedCurve()
        try reader.finish()
        return curve
      }
    }
  }

  /// Refuses what OpenSSL wrote before PKCS #8, whose key is made from the password by MD5.
  ///
  /// Source: RFC 1421 §4.6.1.1.
  private static func requireNotTraditionallyEncrypted(_ block: PEMLines.Block) throws(CryptoError) {
    guard block.label.reversed().starts(with: " PRIVATE KEY".utf8.reversed()), let first = block.body.first,
      Mask(UInt64(first), equals: UInt64(UInt8(ascii: "P"))).declassified, block.body.starts(with: "Proc-Type:".utf8)
    else { return }
    throw CryptoError(
      .unsupportedKey, "the key is encrypted as RFC 1421 says: convert it with openssl pkcs8 -topk8 -v2 aes256")
  }

  /// Reads text that holds blocks with one label, at least one. Text may stand around them.
  ///
  /// - Parameter maximumCount: the number of blocks past which nothing more is read.
  /// - Throws: `.malformedPEM`, `.lengthLimitExceeded` if there are more blocks.
  package static func all(_ text: String, label: PEMLabel, maximumCount: Int) throws(CryptoError) -> [PEMBlock] {
    try withContiguousBytes(text.utf8) { text throws(CryptoError) in
      var lines = PEMLines(text)
      var blocks: [PEMBlock] = []
      while let block = try lines.nextBlock() {
        guard block.isLabelled(label) else {
          throw CryptoError(.malformedPEM, "each PEM block must be labelled as a certificate")
        }
        guard blocks.count < maximumCount else {
          throw CryptoError(.lengthLimitExceeded, "there are more PEM blocks than are accepted")
        }
        blocks.append(PEMBlock(label: label, contents: try decodedBase64(block.body)))
      }
      guard !blocks.isEmpty else { throw CryptoError(.malformedPEM, lines.fault) }
      return blocks
    }
  }

  /// The block as text: 64 characters to the line, LF after each line.
  ///
  /// Timing: depends on the length only. The text itself can't be wiped.
  package var text: String {
    var characters: [UInt8] = []
    characters.append(contentsOf: "-----BEGIN \(label.text)-----\n".utf8)
    contents.withUnsafeBytes { PEMBlock.appendBase64($0, to: &characters) }
    characters.append(contentsOf: "-----END \(label.text)-----\n".utf8)
    defer { characters.withUnsafeMutableBytes { wipe($0) } }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The only thing that the time depends on.
  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    let byte = UInt64(byte)
    return (Mask(byte, equals: 0x0A) | Mask(byte, equals: 0x0D) | Mask(byte, equals: 0x20) | Mask(byte, equals: 0x09))
      .declassified
  }
}

/// PEM text, line by line. Boundaries are lines of their own, which may be indented; every other line outside of blocks
/// is text, however it is encoded, but for damaged boundaries.
///
/// Source: RFC 7468 §2.
private struct PEMLines {
  private let text: Slice<UnsafeRawBufferPointer>

  /// What has not been read.
  private var rest: Slice<UnsafeRawBufferPointer>

  /// The first line that looks like a boundary and isn't one.
  private var likeness: Slice<UnsafeRawBufferPointer>?

  /// A block as it stands in the text.
  struct Block {
    let label: Slice<UnsafeRawBufferPointer>
    let body: UnsafeRawBufferPointer

    func isLabelled(_ label: PEMLabel) -> Bool { self.label.elementsEqual(label.text.utf8) }
  }

  init(_ octets: UnsafeRawBufferPointer) {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    text = octets.starts(with: byteOrderMark) ? octets.dropFirst(byteOrderMark.count) : octets[...]
    rest = text
  }

  /// Why there is no block at all.
  var fault: StaticString { likeness.map { PEMText.fault(boundary: $0) } ?? PEMText.fault(text) }

  /// Reads the next block, and skips what stands before it. Nil if only text is left.
  mutating func nextBlock() throws(CryptoError) -> Block? {
    while let begin = nextLine() {
      guard begin.starts(with: "-----".utf8) else { continue }
      // The armor of OpenPGP looks alike: a signed letter with a certificate in it (RFC 9580 §6.2).
      if begin.starts(with: "-----BEGIN PGP ".utf8) || begin.starts(with: "-----END PGP ".utf8) { continue }
      guard let label = PEMLines.label("-----BEGIN ", begin) else {
        // A boundary that was damaged: to skip it would leave a key or a certificate out without a word.
        guard !begin.starts(with: "-----BEGIN ".utf8), !begin.starts(with: "-----END ".utf8) else {
          throw CryptoError(.malformedPEM, PEMText.fault(boundary: begin))
        }
        likeness = likeness ?? begin
        continue
      }
      let body = rest
      while let end = nextLine() {
        // Of the lines between, only the first character is compared, with a hyphen.
        guard let first = end.first, Mask(UInt64(first), equals: 0x2D).declassified else { continue }
        guard let endLabel = PEMLines.label("-----END ", end), endLabel.elementsEqual(label) else {
          throw CryptoError(.malformedPEM, "the PEM block has no END line with the label of its BEGIN line")
        }
        let bytes = body[..<end.startIndex].drop(while: PEMBlock.isWhiteSpace)
        return Block(label: label, body: UnsafeRawBufferPointer(rebasing: bytes))
      }
      throw CryptoError(.malformedPEM, PEMText.fault(boundary: begin))
    }
    return nil
  }

  /// The next line without the white space around it, or `nil` at the end.
  private mutating func nextLine() -> Slice<UnsafeRawBufferPointer>? {
    guard !rest.isEmpty else { return nil }
    let end =
      rest.firstIndex { (Mask(UInt64($0), equals: 0x0A) | Mask(UInt64($0), equals: 0x0D)).declassified }
      ?? rest.endIndex
    var line = rest[..<end].drop(while: PEMBlock.isWhiteSpace)
    while let last = line.last, PEMBlock.isWhiteSpace(last) { line = line.dropLast() }
    rest = rest[end...].dropFirst()
    return line
  }

  /// What stands between the words and the hyphens of a boundary. It has no two hyphens in a row.
  private static func label(
    _ words: String, _ line: Slice<UnsafeRawBufferPointer>
  ) -> Slice<UnsafeRawBufferPointer>? {
    let count = words.utf8.count
    guard line.count >= count &+ 5, line.starts(with: words.utf8), line.suffix(5).elementsEqual("-----".utf8) else {
      return nil
    }
    let label = line.dropFirst(count).dropLast(5)
    let end = label.firstIndex { Mask(UInt64($0), equals: 0x2D).declassified } ?? label.endIndex
    return label[end...].starts(with: "--".utf8) ? nil : label
  }
}

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
    var paddingCount = 0
    for byte in text.suffix(2) where Mask(UInt64(byte), equals: 0x3D).declassified { paddingCount &+= 1 }
    let characters = UnsafeRawBufferPointer(rebasing: text.dropLast(paddingCount))
    guard text.count & 3 == 0, let byteCount = Base64Alphabet.decodedCount(characters.count) else {
      throw CryptoError(.malformedPEM, "the base64 is cut off or not padded: copy the whole text")
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
