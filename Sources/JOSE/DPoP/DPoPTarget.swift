/// A request's URL as `htu` compares it: without query and fragment, scheme and host in lower case, no default port, no empty path.
///
/// Source: RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3.
struct DPoPTarget {
  let text: String

  /// Nil if the text is no absolute URL with a host.
  init?(_ url: String) {
    let whole = url.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
    guard let colon = whole.firstIndex(of: 0x3A), whole[colon...].starts(with: "://".utf8),
      whole.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    let scheme = String(decoding: whole[..<colon], as: UTF8.self).asciiLowercased
    let rest = whole[whole.index(colon, offsetBy: 3)...]
    let slash = rest.firstIndex(of: 0x2F) ?? rest.endIndex
    var authority = String(decoding: rest[..<slash], as: UTF8.self).asciiLowercased
    let path = String(decoding: rest[slash...], as: UTF8.self)
    for (name, port) in [("https", ":443"), ("http", ":80")] where scheme == name && authority.hasSuffix(port) {
      authority.removeLast(port.utf8.count)
    }
    // Names of users have no place in a request's URL.
    guard !scheme.isEmpty, !authority.isEmpty, !authority.utf8.contains(0x40) else { return nil }
    text = "\(scheme)://\(authority)\(path.isEmpty ? "/" : path)"
  }
}
