/// Comparisons of protocol text by bytes. Swift's own `==` and `lowercased()` follow Unicode, where U+212A is a `k`.
extension String {
  /// Whether the other string has the same UTF-8 bytes when `A…Z` count as `a…z`.
  package func hasSameBytesIgnoringASCIICase(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  /// The byte with `A…Z` mapped to `a…z`.
  var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

  package var isASCIILetter: Bool { (0x61...0x7A).contains(asciiLowercased) }

  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether the byte is a hexadecimal digit that is no capital.
  package var isLowerCaseHexadecimal: Bool { isASCIIDigit || (0x61...0x66).contains(self) }

  /// The value of a hexadecimal digit in either case.
  package var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }

  /// Whether the byte may stand in a token: a header field's name or a media type (RFC 9110 §5.6.2).
  package var isToken: Bool { isASCIILetter || isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

  /// Whether the byte is unreserved in URIs (RFC 3986 §2.3).
  package var isURIUnreserved: Bool { isASCIILetter || isASCIIDigit || "-._~".utf8.contains(self) }
}
