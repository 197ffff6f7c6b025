/// A request's URL as `htu` compares it: without query and fragment, scheme and host in lower case, no port that is
/// empty or the default, no zeros before another, no empty path, no dot segments, no needless percent-encoding.
///
/// Source: RFC 9449 §4.3, RFC 3986 §5.2.4, §6.2.2 and §6.2.3.
struct DPoPTarget: Equatable {
  private let name: WireName

  /// The URL in that form.
  var text: String { name.text }

  /// What is compared of a URL, in octets: what HTTP servers take in a request line, and more.
  private static let maximumByteCount = 8192

  /// Nil if the text is not an absolute URL with a host.
  ///
  /// - Throws: ``ErrorCode/limitExceeded`` before anything is made of a URL that is too long.
  init?(_ url: String) throws(JOSEError) {
    let whole = url.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
    guard whole.count <= Self.maximumByteCount else {
      throw JOSEError(.limitExceeded, "the URL has more than 8192 octets", name: "htu")
    }
    guard let colon = whole.firstIndex(of: 0x3A), whole[colon...].starts(with: "://".utf8),
      whole.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    let scheme = WireName(String(decoding: whole[..<colon], as: UTF8.self).asciiLowercased)
    let rest = whole[whole.index(colon, offsetBy: 3)...]
    let slash = rest.firstIndex(of: 0x2F) ?? rest.endIndex
    guard let authority = Self.authority(rest[..<slash], scheme: scheme), !scheme.text.isEmpty else { return nil }
    guard let octets = Self.decodedWhereNeedless(rest[slash...]) else { return nil }
    let path = String(decoding: Self.withoutDotSegments(octets), as: UTF8.self)
    name = "\(scheme)://\(authority)\(path.isEmpty ? "/" : path)"
  }

  /// Whether the text begins with a scheme and a host, whatever follows them.
  static func hasOrigin(_ url: String) -> Bool {
    let parts = url.utf8.split(separator: 0x2F, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2, parts[1].isEmpty else { return false }
    let authority = parts[2].prefix { $0 != 0x3F && $0 != 0x23 }
    return (try? DPoPTarget(String(decoding: parts[0] + [0x2F, 0x2F] + authority, as: UTF8.self))) != nil
  }

  /// Host and port; nil if there is no host, if the port is no number, and for the name of a user, which has no place
  /// in a request's URL.
  private static func authority(_ text: Substring.UTF8View, scheme: WireName) -> String? {
    guard !text.contains(0x40) else { return nil }
    // An IPv6 address has colons of its own, within brackets.
    var hostEnd = text.firstIndex(of: 0x3A) ?? text.endIndex
    if text.first == 0x5B {
      guard let bracket = text.firstIndex(of: 0x5D) else { return nil }
      hostEnd = text.index(after: bracket)
    }
    let (host, rest) = (text[..<hostEnd], text[hostEnd...])
    let digits = rest.dropFirst()
    guard !host.isEmpty, rest.isEmpty || rest.first == 0x3A, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let significant = digits.drop { $0 == 0x30 }
    let port: WireName =
      !digits.isEmpty && significant.isEmpty ? "0" : WireName(String(decoding: significant, as: UTF8.self))
    let isDefault = port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80"
    return String(decoding: host, as: UTF8.self).asciiLowercased + (isDefault ? "" : ":\(port)")
  }

  /// Percent-encoded letters, digits, `-`, `.`, `_` and `~` as themselves, all others with upper-case digits; nil if a
  /// percent sign stands alone.
  private static func decodedWhereNeedless(_ path: some Sequence<UInt8>) -> [UInt8]? {
    var octets: [UInt8] = []
    var rest = path.makeIterator()
    while let octet = rest.next() {
      guard octet == 0x25 else {
        octets.append(octet)
        continue
      }
      guard let high = rest.next(), let low = rest.next(), let highValue = high.hexadecimalValue,
        let lowValue = low.hexadecimalValue
      else { return nil }
      let value = highValue << 4 | lowValue
      octets += value.isURIUnreserved ? [value] : [0x25, upperCased(high), upperCased(low)]
    }
    return octets
  }

  /// A path that begins with a slash, or none: `.` vanishes, and `..` takes the segment before it along.
  private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
    guard !path.isEmpty else { return [] }
    var kept: [ArraySlice<UInt8>] = []
    let segments = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isDots = segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
      if segment.elementsEqual("..".utf8) { _ = kept.popLast() }
      if !isDots { kept.append(segment) }
      // What ends in dots ends in the slash before them.
      if isDots, index == segments.count - 1 { kept.append([]) }
    }
    return kept.flatMap { [0x2F] + $0 }
  }

  private static func upperCased(_ digit: UInt8) -> UInt8 { digit >= 0x61 ? digit & 0xDF : digit }
}
