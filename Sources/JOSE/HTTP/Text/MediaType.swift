/// Media types as header fields name them (RFC 9110 §8.3.1).
package enum MediaType {
  /// The type of bodies that ``FormFields`` encodes.
  package static let form = "application/x-www-form-urlencoded"

  /// The type of JSON texts (RFC 8259 §11).
  package static let json = "application/json"

  /// What a request for a JWK Set accepts: its own type, and JSON, as which most servers name it.
  ///
  /// Source: RFC 7517 §8.5.2.
  package static let keySet = "application/jwk-set+json, application/json"

  /// A signed answer about a token (RFC 9701 §5).
  package static let tokenIntrospection = "application/token-introspection+jwt"

  /// Whether one of the fields `Accept` names this type itself. Weights but 0 don't matter, and a range such as `*/*`
  /// names none.
  package static func isAccepted(_ mediaType: String, by fields: [String]) -> Bool {
    fields.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }.contains { element in
      let parts = element.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
      let isRefused = parts.dropFirst().contains { parameter in
        let text = parameter.asciiLowercased.utf8.filter { $0 != 0x20 && $0 != 0x09 }
        return text.starts(with: "q=0".utf8) && text.dropFirst(3).allSatisfy { $0 == 0x2E || $0 == 0x30 }
      }
      return !isRefused && matches(parts.first, mediaType)
    }
  }

  /// Whether a `Content-Type` value names this type. Case and parameters (`; charset=utf-8`) don't matter.
  /// - Parameter value: the field's value; nil, or anything that is not `token/token`, names no type.
  package static func matches(_ value: String?, _ mediaType: String) -> Bool {
    guard let value, let essence = essence(of: value), let expected = self.essence(of: mediaType) else { return false }
    return essence.hasSameBytesIgnoringASCIICase(as: expected)
  }

  /// `type/subtype`, without parameters and the white space around it.
  private static func essence(of value: String) -> String? {
    let bytes = value.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmingOptionalWhitespace()
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isToken) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Substring.UTF8View {
  /// The bytes without spaces and tabs at either end (OWS of RFC 9110 §5.6.3).
  func trimmingOptionalWhitespace() -> Substring.UTF8View {
    func isOptionalWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = firstIndex(where: { !isOptionalWhitespace($0) }),
      let last = lastIndex(where: { !isOptionalWhitespace($0) })
    else { return self[startIndex..<startIndex] }
    return self[first...last]
  }
}
