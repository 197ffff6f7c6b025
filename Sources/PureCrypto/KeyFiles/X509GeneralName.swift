/// A GeneralName, in a form that can be compared: what is malformed is refused when it is read.
///
/// Source: RFC 5280 §4.2.1.6.
package enum X509GeneralName: Sendable, Hashable {
  /// dNSName: labels of letters, digits, hyphens and underscores, the first of which may be `*`.
  case dns([UInt8])
  /// rfc822Name: a mailbox of ASCII without quotation marks, `local@host`.
  case email([UInt8])
  /// uniformResourceIdentifier, whose scheme and characters are legal.
  case uri([UInt8])
  /// iPAddress: 4 or 16 octets.
  case ip([UInt8])
  /// directoryName.
  case directory(X509Name)
  /// An e-mail address that no constraint can be compared with: one beyond ASCII, or a malformed one of the subject.
  case incomparableEmail
  /// Another kind, by its number in GeneralName, with its contents.
  case other(UInt8, [UInt8])

  /// 1.3.6.1.5.5.7.8.9, id-on-SmtpUTF8Mailbox.
  /// Source: RFC 9598 §3.
  private static let utf8Mailbox: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x08, 0x09]

  /// Reads one from its whole element.
  init(_ element: UnsafeRawBufferPointer) throws(CryptoError) {
    guard let tag = element.first, tag & 0xC0 == 0x80, tag & 0x1F <= 8 else {
      throw CryptoError(.malformedDER, "a general name is of an unknown kind")
    }
    var reader = DERReader(element)
    var contents = try reader.readAny()
    let octets = Array(contents.bytes)
    switch tag {
    case 0x82:
      guard X509Host.isName(octets, allowsWildcard: true) else {
        throw CryptoError(.malformedDER, "a DNS name has an empty, too long or illegal label")
      }
      self = .dns(octets)
    case 0x81:
      guard X509Host.mailbox(octets) != nil else {
        throw CryptoError(.malformedDER, "an e-mail address is not local@host in ASCII")
      }
      self = .email(octets)
    case 0x86:
      guard X509Host.isURI(octets) else {
        throw CryptoError(.malformedDER, "a URI has no scheme, or a character that must be encoded")
      }
      self = .uri(octets)
    case 0x87:
      guard octets.count == 4 || octets.count == 16 else {
        throw CryptoError(.malformedDER, "an IP address has neither 4 nor 16 octets")
      }
      self = .ip(octets)
    case 0xA4:
      self = .directory(try X509Name(contents.readWhole(.sequence)))
      try contents.finish()
    case 0xA0 where try contents.readObjectIdentifierContents() == Self.utf8Mailbox:
      self = .incomparableEmail
    default:
      self = .other(tag & 0x1F, octets)
    }
  }

  /// The value of emailAddress in a subject, to which constraints on addresses apply as well.
  /// Source: RFC 5280 §4.2.1.10.
  init(emailAddress: [UInt8]) {
    self = X509Host.mailbox(emailAddress) != nil ? .email(emailAddress) : .incomparableEmail
  }
}

/// The grammar of hosts in names, in ASCII octets.
enum X509Host {
  /// Whether the octets are labels with dots between them.
  ///
  /// A name in another script has to be in its ASCII form (`xn--…`), and `*` can be the whole of the first label
  /// only.
  static func isName(_ octets: [UInt8], allowsWildcard: Bool = false) -> Bool {
    guard (1...253).contains(octets.count) else { return false }
    let labels = octets.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isWildcard = allowsWildcard && labels.count > 1 && labels[0].elementsEqual("*".utf8)
    return (isWildcard ? labels.dropFirst() : labels[...]).allSatisfy { label in
      (1...63).contains(label.count) && label.first != 0x2D && label.last != 0x2D && label.allSatisfy(isLabelCharacter)
    }
  }

  private static func isLabelCharacter(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }

  /// The two parts of `local@host`; nil for what is malformed, quoted, or has an address for a host.
  static func mailbox(_ octets: [UInt8]) -> (local: [UInt8], host: [UInt8])? {
    guard let at = octets.firstIndex(of: UInt8(ascii: "@")) else { return nil }
    let (local, host) = (Array(octets[..<at]), Array(octets[(at &+ 1)...]))
    let isAtoms = local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0.allSatisfy(isAtomCharacter)
    }
    return isAtoms && local.count <= 64 && isName(host) ? (local, host) : nil
  }

  /// RFC 5322 §3.2.3.
  private static func isAtomCharacter(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(octet)
    }
  }

  /// Whether the octets begin with a scheme and have only characters that a URI may have.
  static func isURI(_ octets: [UInt8]) -> Bool {
    guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), let first = octets.first else { return false }
    let isScheme =
      folded(first) &- 0x61 < 26
      && octets[..<colon].allSatisfy { isLabelCharacter($0) && $0 != 0x5F || $0 == 0x2B || $0 == 0x2E }
    return isScheme && octets.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
  }

  /// The host of a URI, if it has one that is a name.
  static func host(ofURI octets: [UInt8]) -> [UInt8]? {
    guard let colon = octets.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let rest = octets[(colon &+ 1)...]
    guard rest.starts(with: "//".utf8) else { return nil }
    var authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at &+ 1)...] }
    if let colon = authority.lastIndex(of: UInt8(ascii: ":")) {
      guard authority[(colon &+ 1)...].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      authority = authority[..<colon]
    }
    let host = Array(authority)
    // What ends in a number is an address.
    guard isName(host), host.split(separator: 0x2E).last.map({ !$0.allSatisfy { (0x30...0x39).contains($0) } }) == true
    else { return nil }
    return host
  }

  static func folded(_ octets: some Sequence<UInt8>) -> [UInt8] { octets.map(folded) }

  static func folded(_ octet: UInt8) -> UInt8 { octet &- 0x41 < 26 ? octet | 0x20 : octet }
}
