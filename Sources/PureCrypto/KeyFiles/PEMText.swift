/// What a text is that is no PEM as it is expected, and what helps.
///
/// Only what is no secret is looked at: how the text begins, labels, and what stands right behind a label.
enum PEMText {
  /// A text without a line that begins with five hyphens.
  static func fault(_ text: Slice<UnsafeRawBufferPointer>) -> StaticString {
    let text = text.drop(while: PEMBlock.isWhiteSpace)
    func begins(with prefixes: String...) -> Bool { prefixes.contains { text.starts(with: $0.utf8) } }
    if text.isEmpty { return "the PEM text is empty: the file or setting that it comes from has nothing in it" }
    if begins(with: "{") { return "this is JSON, not PEM: JWK(parsing:) reads a JWK" }
    let word = MistakenText.trimmed(text)
    if MistakenText.isPath(word) { return "this is a path, not PEM: read the file, and pass its text" }
    if MistakenText.isUnset(word) {
      return "the PEM text is undefined, null or the like: set the variable that it comes from"
    }
    if begins(with: "ssh-", "ecdsa-") {
      return "this is a public key of OpenSSH: convert its file with ssh-keygen -e -m PKCS8 -f"
    }
    // A sequence in DER, whatever its length.
    if begins(with: "M"), let second = text.dropFirst().first, (UInt8(ascii: "A")...UInt8(ascii: "P")).contains(second)
    {
      return "this is base64 without its lines -----BEGIN …----- and -----END …-----: copy the whole text"
    }
    return "no PEM block: it begins with a line -----BEGIN …-----"
  }

  /// Certificates without a key; nil if the text has no certificate either.
  static func fault(_ certificateCount: Int) -> StaticString? {
    switch certificateCount {
    case 0: nil
    case 1: "the PEM text has a certificate and no key: LeafCertificate reads it"
    case 2: "the PEM text has two certificates where one key is asked for: keep the one whose key is meant"
    default: "the PEM text has several certificates where one key is asked for: keep the one whose key is meant"
    }
  }

  /// A line that begins with five hyphens, and isn't followed by a block.
  static func fault(boundary line: Slice<UnsafeRawBufferPointer>) -> StaticString {
    let begin = "-----BEGIN "
    guard line.starts(with: begin.utf8) else {
      return "no PEM block: a line of five hyphens is no BEGIN line: copy the whole text"
    }
    let label = line.dropFirst(begin.utf8.count).prefix { $0 != UInt8(ascii: "-") }
    switch line[label.endIndex...].drop(while: { $0 == UInt8(ascii: "-") }).first {
    case nil: return "the PEM block has no END line: copy the whole text"
    case UInt8(ascii: " "):
      return "the PEM text has spaces for its line breaks: put the line breaks back, around the base64 at least"
    case UInt8(ascii: "\\"): return "the PEM text has \\n written out: put line breaks in place of them"
    default: return "the PEM text is one line: put line breaks behind the BEGIN line and before the END line"
    }
  }

  /// A block with another label than is expected.
  static func fault(label: Slice<UnsafeRawBufferPointer>) -> StaticString {
    func isOne(of labels: String...) -> Bool { labels.contains { label.elementsEqual($0.utf8) } }
    if isOne(of: "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST") {
      return "this is a certificate request, no key: take the private key that it was made with"
    }
    if isOne(of: "OPENSSH PRIVATE KEY") {
      return "this is a private key of OpenSSH: convert its file with ssh-keygen -p -m PKCS8 -f"
    }
    return "the label of the PEM block isn't supported; PUBLIC KEY and PRIVATE KEY are"
  }
}
