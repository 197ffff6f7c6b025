import StrictJSON

/// A `redirect_uri`: https, a domain name, no fragment.
///
/// The text is kept exactly, since it is compared byte by byte with the registered one and again at the token endpoint.
/// A host outside ASCII must be given in its A-label form (`xn--…`).
public struct AppleRedirectURI: Sendable, Hashable, CustomStringConvertible {
  /// The URI as given.
  public let text: String

  /// Checks a URI.
  ///
  /// - Throws: `ErrorCode.redirectURIInvalid`, with the rule in its text.
  public init(_ text: String) throws(SignInWithAppleError) {
    let bytes = Array(text.utf8)
    guard text.isVisibleASCII(upTo: 2048), !bytes.contains(where: Self.isNeverInURI) else {
      throw Self.error("not a URI of printable ASCII")
    }
    guard bytes.starts(with: Self.scheme) else {
      throw Self.error("the redirect URI is not an https URI")
    }
    guard !bytes.contains(UInt8(ascii: "#")) else {
      throw Self.error("the redirect URI has a fragment")
    }
    let authority = bytes.dropFirst(Self.scheme.count).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard !authority.contains(UInt8(ascii: "@")) else {
      throw Self.error("the redirect URI has a user")
    }
    guard authority.first != UInt8(ascii: "[") else {
      throw Self.error("the redirect URI has an address for a host")
    }
    let host = authority.prefix { $0 != UInt8(ascii: ":") }
    if host.count < authority.count {
      let port = String(decoding: authority.dropFirst(host.count + 1), as: UTF8.self)
      guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
        throw Self.error("the redirect URI's port is not a number")
      }
    }
    try Self.requireDomainName(host.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    self.text = text
  }

  /// Whether the redirect URI has a query already, so that a response is appended with `&`.
  package var hasQuery: Bool { text.utf8.contains(UInt8(ascii: "?")) }

  /// The URI.
  public var description: String { text }

  /// Compares bytes.
  public static func == (lhs: AppleRedirectURI, rhs: AppleRedirectURI) -> Bool { lhs.text.hasSameBytes(as: rhs.text) }

  /// Hashes the text, which is ASCII.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  private static let scheme = Array("https://".utf8)

  /// Visible characters that RFC 3986 has no place for.
  private static func isNeverInURI(_ byte: UInt8) -> Bool { "\"<>\\^`{|}".utf8.contains(byte) }

  private static func requireDomainName(_ host: [UInt8]) throws(SignInWithAppleError) {
    let invalid = error("the redirect URI's host is not a domain name")
    guard !host.isEmpty, host.count <= 253 else { throw invalid }
    let rooted = host.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
    let labels = rooted.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let last = labels.last else { throw invalid }
    if last.elementsEqual("localhost".utf8) {
      throw error("the redirect URI leads to localhost")
    }
    // Resolvers take 2130706433, 127.1 and 0x7f.1 for addresses: what decides is the last label.
    if !last.isEmpty, last.allSatisfy({ (0x30...0x39).contains($0) }) || last.starts(with: "0x".utf8) {
      throw error("the redirect URI has an address for a host")
    }
    guard labels.count >= 2, rooted.count == host.count else { throw invalid }
    for label in labels {
      let isLegal = label.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
      }
      guard (1...63).contains(label.count), isLegal, label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-")
      else { throw invalid }
    }
  }

  private static func error(_ text: StaticString) -> SignInWithAppleError {
    SignInWithAppleError(.redirectURIInvalid, text, name: "redirect_uri")
  }
}
