/// Markup that holds text only in escaped form: an interpolated `String` is escaped, an ``HTML`` is not.
package struct HTML: Sendable, ExpressibleByStringInterpolation {
  package private(set) var markup: String

  package init(stringLiteral value: String) { markup = value }

  package init(stringInterpolation: StringInterpolation) { markup = stringInterpolation.markup }

  /// Parts, one after the other.
  package init(_ parts: [HTML]) { markup = parts.map(\.markup).joined() }

  package struct StringInterpolation: StringInterpolationProtocol {
    var markup = ""

    package init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity * 2) }

    /// Markup from the program.
    package mutating func appendLiteral(_ literal: String) { markup += literal }

    /// Text from outside, which is escaped.
    package mutating func appendInterpolation(_ text: String) {
      markup += HTML.escaped(text)
    }

    package mutating func appendInterpolation(_ number: Int) { markup += String(number) }

    package mutating func appendInterpolation(_ part: HTML?) { markup += part?.markup ?? "" }

    package mutating func appendInterpolation(_ parts: [HTML]) { markup += HTML(parts).markup }
  }

  /// Text as it may stand in an element and in a quoted attribute.
  static func escaped(_ text: String) -> String {
    var octets: [UInt8] = []
    octets.reserveCapacity(text.utf8.count)
    for octet in text.utf8 {
      switch octet {
      case UInt8(ascii: "&"): octets += "&amp;".utf8
      case UInt8(ascii: "<"): octets += "&lt;".utf8
      case UInt8(ascii: ">"): octets += "&gt;".utf8
      case UInt8(ascii: "\""): octets += "&quot;".utf8
      case UInt8(ascii: "'"): octets += "&#39;".utf8
      default: octets.append(octet)
      }
    }
    return String(decoding: octets, as: UTF8.self)
  }
}
