import JOSE
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
  /// - Throws: `ErrorCode.redirectURIInvalid`, if it is not an address as above.
  public init(_ text: String) throws(JOSEError) {
    // Apple compares octets, so the scheme is in lower case.
    guard text.isVisibleASCII(upTo: 2048), text.utf8.starts(with: "https://".utf8),
      let uri = try? URIComponents(parsing: text), PlainHTTP.refused.permits(uri), uri.port != 0,
      let host = uri.host, Self.isDomainName(Array(host.asciiLowercased.utf8))
    else {
      throw JOSEError(
        .redirectURIInvalid, "the redirect URI is not an https address with a domain name and without fragment",
        name: "redirect_uri")
    }
    self.text = text
  }

  /// Whether the redirect URI has a query already, so that a response is appended with `&`.
  package var hasQuery: Bool { text.utf8.contains(UInt8(ascii: "?")) }

  /// The URI as it is sent to Apple.
  public var description: String { text }

  /// Compares bytes.
  public static func == (lhs: AppleRedirectURI, rhs: AppleRedirectURI) -> Bool { WireName(lhs.text) == rhs.text }

  /// Hashes the text, which is ASCII.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// Whether a host is a domain name of two labels or more, and not what a resolver takes for an address, such as
  /// 127.1 and 0x7f.1: what decides is the last label.
  private static func isDomainName(_ host: [UInt8]) -> Bool {
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard host.count <= 253, labels.count >= 2, let last = labels.last, !last.elementsEqual("localhost".utf8),
      !last.allSatisfy({ (0x30...0x39).contains($0) }), !last.starts(with: "0x".utf8)
    else { return false }
    return labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        && label.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
  }
}
