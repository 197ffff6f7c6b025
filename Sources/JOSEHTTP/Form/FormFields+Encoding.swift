extension FormFields {
  /// The body of a form: letters, digits and `*-._` as they are, a space as `+`, every other byte escaped.
  ///
  /// Source: RFC 6749 appendix B, URL Standard §5.2.
  public func encoded() -> [UInt8] {
    joined { text, bytes in
      PercentEncoding.append(text, to: &bytes, spaceIsPlus: true) {
        $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2A || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F  // *-._
      }
    }
  }

  /// The fields as the query of a URI: unreserved characters as they are, every other byte escaped, a space as `%20`.
  ///
  /// Both forms mean the same to a form decoder; this one also does to those who take `+` for a plus.
  public func encodedAsQuery() -> String {
    let bytes = joined { text, bytes in
      PercentEncoding.append(text, to: &bytes) { $0.isURIUnreserved }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func joined(_ append: (String, inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 })
    for (position, field) in fields.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: "&")) }
      append(field.name, &bytes)
      bytes.append(UInt8(ascii: "="))
      append(field.value, &bytes)
    }
    return bytes
  }
}
