/// A block of PEM text: a label, and DER in base64 between two boundary lines.
///
/// Source: RFC 7468.
package struct PEMBlock {
  package let label: PEMLabel
  /// The DER inside, wiped when it is no longer used: it may be a private key.
  package let contents: SecretBytes

  package init(label: PEMLabel, contents: SecretBytes) {
    self.label = label
    self.contents = contents
  }

  /// Reads text that is one block, with nothing but white space around it.
  /// - Parameter text: lines ending in LF or CRLF, the last one perhaps in neither. White space within the base64 is
  ///   skipped; the base64 itself is strict.
  /// - Parameter labels: those the caller can make use of.
  /// - Throws: `.malformedPEM` for anything else: another label, an END that differs from BEGIN, header lines, text
  ///   before or after, a second block.
  ///
  /// Timing: depends on the positions of white space, not on the base64 characters.
  package init(_ text: String, labels: [PEMLabel]) throws(CryptoError) {
    self = try withContiguousBytes(text.utf8) { text throws(CryptoError) in
      try PEMBlock(text, labels: labels)
    }
  }

  private init(_ text: UnsafeRawBufferPointer, labels: [PEMLabel]) throws(CryptoError) {
    let text = PEMBlock.trimmed(text)
    for label in labels {
      guard
        let afterBegin = PEMBlock.dropPrefix("-----BEGIN \(label.text)-----", of: text),
        let body = PEMBlock.dropSuffix("-----END \(label.text)-----", of: afterBegin)
      else { continue }
      // The boundaries stand on lines of their own, which may be indented.
      guard PEMBlock.isBlankUpToLineFeed(body), PEMBlock.isBlankUpToLineFeed(body.reversed()) else { break }
      self.init(label: label, contents: try PEMBlock.decodedBase64(body))
      return
    }
    throw CryptoError(.malformedPEM, "not exactly one PEM block with an expected label")
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

  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Whether only blanks come before the first line feed, and there is one.
  private static func isBlankUpToLineFeed(_ bytes: some Sequence<UInt8>) -> Bool {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { return true }
      guard isWhiteSpace(byte) else { return false }
    }
    return false
  }

  private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var text = text[...]
    while let first = text.first, isWhiteSpace(first) { text = text.dropFirst() }
    while let last = text.last, isWhiteSpace(last) { text = text.dropLast() }
    return UnsafeRawBufferPointer(rebasing: text)
  }

  private static func dropPrefix(_ prefix: String, of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard text.starts(with: prefix.utf8) else { return nil }
    return UnsafeRawBufferPointer(rebasing: text.dropFirst(prefix.utf8.count))
  }

  private static func dropSuffix(_ suffix: String, of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard text.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else { return nil }
    return UnsafeRawBufferPointer(rebasing: text.dropLast(suffix.utf8.count))
  }
}
