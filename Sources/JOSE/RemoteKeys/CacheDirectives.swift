/// How long an answer may be used, as its header fields say. `Expires` is not read.
///
/// Source: RFC 9111 §1.2.2, §4.2, §5.1, §5.2, RFC 5861.
package struct CacheDirectives: Sendable {
  /// `max-age`, the smallest if there are several; 0 for `no-store` and `no-cache`, and where one is no number, since
  /// such an answer counts as stale. Nil if the answer doesn't say.
  private(set) var maximumAge: Double?
  /// The longest that the answer may serve while it is renewed; nil if it doesn't say.
  private(set) var staleWhileRevalidate: Double?
  /// The longest that the answer may serve when it can't be renewed; nil if it doesn't say.
  private(set) var staleIfError: Double?
  /// `no-store`: the answer is not to be kept, so there is nothing that a later answer could confirm.
  private(set) var forbidsStoring = false
  /// How many seconds the answer has spent in caches on the way: the first `Age`.
  private let age: Double

  /// How many seconds the answer stays fresh from now on; nil if it doesn't say.
  package var freshness: Double? { maximumAge.map { max(0, $0 - age) } }

  /// Reads `Cache-Control` and `Age`. Several lines of `Cache-Control` are one list.
  ///
  /// - Parameter earlier: those of the answer that this one confirms. They hold on if it has none of its own (RFC 9111
  ///   §4.3.4).
  package init(_ headers: HTTPHeaderFields, confirming earlier: CacheDirectives? = nil) {
    age = headers.values("Age").first.flatMap { Self.seconds($0.utf8) } ?? 0
    let lines = headers.values("Cache-Control")
    if lines.isEmpty, let earlier {
      (maximumAge, forbidsStoring) = (earlier.maximumAge, earlier.forbidsStoring)
      (staleWhileRevalidate, staleIfError) = (earlier.staleWhileRevalidate, earlier.staleIfError)
    }
    for directive in Self.directives(lines.joined(separator: ",")) {
      switch directive.name {
      case "no-store", "no-cache":
        forbidsStoring = forbidsStoring || directive.name == "no-store"
        (maximumAge, staleWhileRevalidate, staleIfError) = (0, 0, 0)
      case "must-revalidate":
        (staleWhileRevalidate, staleIfError) = (0, 0)
      case "max-age": maximumAge.limit(to: directive.seconds ?? 0)
      case "stale-while-revalidate": staleWhileRevalidate.limit(to: directive.seconds)
      case "stale-if-error": staleIfError.limit(to: directive.seconds)
      default: continue
      }
    }
  }

  /// The answer's `ETag`, if there is exactly one of legal form and moderate length.
  static func entityTag(_ headers: HTTPHeaderFields) -> String? {
    guard let tag = try? headers.uniqueValue("ETag"), tag.utf8.count <= 512 else { return nil }
    let opaque = tag.utf8.starts(with: "W/".utf8) ? tag.utf8.dropFirst(2) : tag.utf8[...]
    guard opaque.count >= 2, opaque.first == 0x22, opaque.last == 0x22,
      opaque.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x7F })
    else { return nil }
    return tag
  }

  /// The directives of a list: names in lower case, arguments with quotes around them or without. A comma in quotes
  /// separates nothing.
  private static func directives(_ list: String) -> [(name: WireName, seconds: Double?)] {
    var isQuoted = false
    let parts = list.utf8.split { byte in
      if byte == 0x22 { isQuoted.toggle() }
      return byte == 0x2C && !isQuoted
    }
    return parts.map { part in
      let name = String(decoding: trimmed(part.prefix { $0 != 0x3D }), as: UTF8.self).asciiLowercased
      var argument = trimmed(part.drop { $0 != 0x3D }.dropFirst())
      if argument.count >= 2, argument.first == 0x22, argument.last == 0x22 {
        argument = argument.dropFirst().dropLast()
      }
      return (WireName(name), seconds(argument))
    }
  }

  /// Without the spaces and tabs at both ends.
  private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
    var text = text
    while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
    while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
    return text
  }

  /// A number of seconds: ASCII digits only.
  private static func seconds(_ text: some Collection<UInt8>) -> Double? {
    guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Double(String(decoding: text, as: UTF8.self))
  }
}

extension Double? {
  /// Takes a bound that is smaller than the one so far; nil is no bound.
  fileprivate mutating func limit(to bound: Double?) {
    guard let bound else { return }
    self = self.map { Swift.min($0, bound) } ?? bound
  }
}
