/// The parts of an absolute URI (RFC 3986), checked against the grammar and otherwise left as they stand.
///
/// Nothing is normalised: two URIs are the same when their bytes are, as OAuth compares redirect URIs.
package struct URIComponents: Sendable, Equatable {
  /// The whole text.
  package let text: String
  /// The scheme as it stands. Compare without regard to case: ``hasScheme(_:)``.
  package let scheme: String
  /// What stands before `@` in the authority. Deprecated; best refused.
  package let userInfo: String?
  /// The host as it stands, brackets of an IP literal included; nil without an authority.
  package let host: String?
  /// The port, if one is given.
  package let port: UInt16?
  /// The path, escaped as it stands.
  package let path: String
  /// What follows the first `?`, escaped as it stands.
  package let query: String?
  /// What follows `#`, escaped as it stands.
  package let fragment: String?

  /// Splits and checks a URI.
  /// - Parameter maximumByteCount: the longest text accepted. Default: 8 KiB.
  /// - Throws: ``ErrorCode/malformed`` when the text has no scheme, holds a character that its place does
  ///   not allow (every non-ASCII one, spaces, `\`), a `%` without two hexadecimal digits, an empty or too large port
  ///   or a malformed host; ``ErrorCode/limitExceeded``.
  package init(parsing text: String, maximumByteCount: Int = 8 << 10) throws(JOSEError) {
    guard text.utf8.count <= maximumByteCount else {
      throw JOSEError(.limitExceeded, "the URI is longer than the limit")
    }
    self.text = text
    var rest = Array(text.utf8)[...]

    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let first = rest.first, first.isASCIILetter,
      rest[..<colon].allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
    else { throw JOSEError(.malformed, "the URI has no scheme") }
    scheme = Self.string(rest[..<colon])
    rest = rest[(colon + 1)...]

    // The fragment goes first, then the query: a "?" after "#" belongs to the fragment.
    fragment = try Self.cut(&rest, at: UInt8(ascii: "#"), extraCharacters: "/?:@")
    query = try Self.cut(&rest, at: UInt8(ascii: "?"), extraCharacters: "/?:@")

    guard rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else {
      (userInfo, host, port) = (nil, nil, nil)
      path = try Self.checked(rest, extraCharacters: "/:@")
      return
    }
    rest = rest.dropFirst(2)
    let pathStart = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    var authority = rest[..<pathStart]
    path = try Self.checked(rest[pathStart...], extraCharacters: "/:@")
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      userInfo = try Self.checked(authority[..<at], extraCharacters: ":")
      authority = authority[(at + 1)...]
    } else {
      userInfo = nil
    }
    port = try Self.cutPort(&authority)
    host = try Self.checkedHost(authority)
  }

  /// Whether the scheme is this one, without regard to case.
  package func hasScheme(_ name: String) -> Bool { scheme.hasSameBytesIgnoringASCIICase(as: name) }

  /// Whether the host is this machine: an address of `127.0.0.0/8`, `[::1]`, or `localhost` (RFC 6890 §2.2.2, RFC 6761
  /// §6.3).
  package var isLoopback: Bool {
    guard let host else { return false }
    return WireName(host) == "[::1]" || host.hasSameBytesIgnoringASCIICase(as: "localhost")
      || host.utf8.starts(with: "127.".utf8) && Self.isIPv4Address(Array(host.utf8)[...])
  }

  /// Whether the host is a name, and this machine's only as far as that is allowed. What it resolves to is another
  /// matter.
  func isPublic(_ plainHTTP: PlainHTTP) -> Bool {
    guard !isLoopback else { return plainHTTP == .loopback }
    // Letters, digits, hyphens, dots and underscores: no address in brackets, and no escape that could hide one.
    guard let host, !host.isEmpty,
      host.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || [0x2D, 0x2E, 0x5F].contains($0) })
    else { return false }
    let labels = host.asciiLowercased.utf8.split(separator: UInt8(ascii: "."))
    // A last label of digits alone, or of hexadecimal ones behind 0x, is read as an address (WHATWG URL §3.5).
    guard let last = labels.last, !last.elementsEqual("localhost".utf8) else { return false }
    return !last.allSatisfy(\.isASCIIDigit) && !last.starts(with: "0x".utf8)
  }

  /// The URI with a well-known name between its host and its path. A path of `/` alone gives way to it.
  ///
  /// Source: RFC 8414 §3.1, RFC 9728 §3.1.
  package func inserting(wellKnown name: String) -> String {
    let rest = text.utf8.dropFirst(origin.utf8.count).dropFirst(path.utf8.elementsEqual("/".utf8) ? 1 : 0)
    return origin + "/.well-known/" + name + String(Substring(rest))
  }

  /// Scheme and authority, as they stand: what lies before path, query and fragment.
  package var origin: String {
    let authority = text.utf8.dropFirst(scheme.utf8.count + 3)
    return String(Substring(text.utf8[..<(authority.firstIndex { "/?#".utf8.contains($0) } ?? text.utf8.endIndex)]))
  }

  /// The URI with these fields added to its query, spaces as `%20`. What it has already stays as it is.
  package func appendingQuery(_ fields: FormFields) -> String {
    guard !fields.fields.isEmpty else { return text }
    let location = Substring(text.utf8.prefix { $0 != UInt8(ascii: "#") })
    let separator = query.map { $0.isEmpty || $0.utf8.last == UInt8(ascii: "&") ? "" : "&" } ?? "?"
    return location + separator + fields.encodedAsQuery() + (fragment.map { "#" + $0 } ?? "")
  }

  /// What ``appendingQuery(_:)`` appended to an address, as a browser wrote it; nil if `text` is not that address
  /// with something appended.
  package static func appendedQuery(of text: String, to address: String) -> String? {
    let (text, address) = (asBrowsersWrite(text).text, asBrowsersWrite(address).text)
    guard text.utf8.starts(with: address.utf8) else { return nil }
    let rest = text.utf8.dropFirst(address.utf8.count)
    let query: Substring.UTF8View
    let isBegun =
      address.utf8.last == UInt8(ascii: "?")
      || address.utf8.last == UInt8(ascii: "&") && address.utf8.contains(UInt8(ascii: "?"))
    if isBegun, rest.first != UInt8(ascii: "&") {
      // A query that is empty, or ends with a separator, needs none.
      query = rest
    } else {
      let separator = address.utf8.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?")
      guard rest.first == separator else { return nil }
      query = rest.dropFirst()
    }
    return String(Substring(query.prefix { $0 != UInt8(ascii: "#") }))
  }

  /// Whether a browser may have written an address so.
  package static func isSame(_ text: String, asBrowsersWrite address: String) -> Bool {
    asBrowsersWrite(text) == asBrowsersWrite(address)
  }

  /// An address as browsers write it: scheme and host in lower case, without the scheme's own port, and with `/` for an
  /// empty path behind a host. Path, query, user info and escapes are left as they are; so is what is no URI.
  ///
  /// Source: RFC 3986 §6.2.2.1, §6.2.3.
  private static func asBrowsersWrite(_ text: String) -> WireName {
    // Browsers don't escape all that a URI's query must have escaped, so it is no part of what is parsed.
    let place = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let uri = try? URIComponents(parsing: String(Substring(place)), maximumByteCount: place.count) else {
      return WireName(text)
    }
    let scheme = uri.scheme.asciiLowercased
    let rest = Substring(text.utf8[place.endIndex...])
    guard let host = uri.host else { return WireName(scheme + ":" + uri.path + rest) }
    let ownPort: UInt16? =
      switch WireName(scheme) {
      case "http": 80
      case "https": 443
      default: nil
      }
    let userInfo = uri.userInfo.map { $0 + "@" } ?? ""
    let port = uri.port.flatMap { $0 == ownPort ? nil : ":\($0)" } ?? ""
    let authority = userInfo + host.asciiLowercased + port
    return WireName(scheme + "://" + authority + (uri.path.isEmpty ? "/" : uri.path) + rest)
  }

  /// Whether both are the same bytes.
  package static func == (lhs: URIComponents, rhs: URIComponents) -> Bool { WireName(lhs.text) == rhs.text }
}

// MARK: - Parts

extension URIComponents {
  private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes as text, once every one is unreserved, a subdelimiter, an escape, or among the extra characters.
  private static func checked(
    _ bytes: ArraySlice<UInt8>, extraCharacters: StaticString
  ) throws(JOSEError) -> String {
    let extra = "\(extraCharacters)".utf8
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard rest.popFirst()?.hexadecimalValue != nil, rest.popFirst()?.hexadecimalValue != nil else {
          throw JOSEError(.malformed, "a percent sign lacks two hexadecimal digits")
        }
      } else if !byte.isURIUnreserved, !"!$&'()*+,;=".utf8.contains(byte), !extra.contains(byte) {
        throw JOSEError(.malformed, "the URI holds a character that its place does not allow")
      }
    }
    return string(bytes)
  }

  /// Cuts off what follows the first separator; nil when there is none.
  private static func cut(
    _ rest: inout ArraySlice<UInt8>, at separator: UInt8, extraCharacters: StaticString
  ) throws(JOSEError) -> String? {
    guard let index = rest.firstIndex(of: separator) else { return nil }
    let part = rest[(index + 1)...]
    rest = rest[..<index]
    return try checked(part, extraCharacters: extraCharacters)
  }

  /// Cuts a port off the end of an authority; nil when there is none.
  private static func cutPort(_ authority: inout ArraySlice<UInt8>) throws(JOSEError) -> UInt16? {
    guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
      !authority[colon...].contains(UInt8(ascii: "]"))
    else { return nil }
    let digits = authority[(colon + 1)...]
    guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit), let port = UInt16(string(digits)) else {
      throw JOSEError(.malformed, "the port is not a number up to 65535")
    }
    authority = authority[..<colon]
    return port
  }

  /// A registered name, an IPv4 address, or an IPv6 address in brackets. Only `file` and the like have an empty one.
  private static func checkedHost(_ host: ArraySlice<UInt8>) throws(JOSEError) -> String {
    guard host.first == UInt8(ascii: "[") else { return try checked(host, extraCharacters: "") }
    let address = host.dropFirst().dropLast()
    guard host.last == UInt8(ascii: "]"), isIPv6Address(address) else {
      throw JOSEError(.malformed, "the host is not an IPv6 address")
    }
    return string(host)
  }

  /// Eight groups of up to four hexadecimal digits, the last two possibly as an IPv4 address, one run of zero groups
  /// possibly as `::` (RFC 3986 §3.2.2). Zones are not part of it.
  private static func isIPv6Address(_ address: ArraySlice<UInt8>) -> Bool {
    let colon = UInt8(ascii: ":")
    let run = address.indices.first { address[$0...].starts(with: [colon, colon]) }
    guard let run else { return groupCount(address) == 8 }
    let (head, tail) = (address[..<run], address[(run + 2)...])
    // An IPv4 address can only be the very end.
    guard !head.contains(UInt8(ascii: ".")), let before = groupCount(head), let after = groupCount(tail) else {
      return false
    }
    return before + after <= 7
  }

  /// How many 16-bit groups the bytes are; an IPv4 address at the end is two. Nil when a group is malformed or empty.
  private static func groupCount(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    let groups = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var count = groups.count
    for (position, group) in groups.enumerated() {
      if position == groups.count - 1, isIPv4Address(group) {
        count += 1
      } else if group.isEmpty || group.count > 4 || !group.allSatisfy({ $0.hexadecimalValue != nil }) {
        return nil
      }
    }
    return count
  }

  private static func isIPv4Address(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard !part.isEmpty, part.allSatisfy(\.isASCIIDigit), part.count == 1 || part.first != UInt8(ascii: "0")
        else { return false }
        return UInt8(string(part)) != nil
      }
  }
}
