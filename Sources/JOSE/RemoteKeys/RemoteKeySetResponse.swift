/// What a server answered when it was asked for its key set.
public struct RemoteKeySetResponse: Sendable {
  /// The status code. Only 200 is taken; don't follow redirects on the way here.
  public var status: Int
  /// The field `Cache-Control`, if there is one.
  public var cacheControl: String?
  /// The field `Age`, if there is one: how many seconds the answer has spent in caches on the way.
  public var age: String?
  /// The body.
  public var body: [UInt8]

  /// An answer of these parts.
  public init(status: Int, cacheControl: String? = nil, age: String? = nil, body: [UInt8]) {
    (self.status, self.cacheControl, self.age, self.body) = (status, cacheControl, age, body)
  }

  /// Seconds for which the answer stays fresh, as far as it says: `max-age` without the age it has already, and 0 for `no-store` and
  /// `no-cache`. `Expires` is not read.
  ///
  /// Source: RFC 9111 §4.2, §5.1, §5.2.2.
  var maximumAge: Double? {
    guard let cacheControl else { return nil }
    var freshness: Double?
    for directive in cacheControl.utf8.split(separator: 0x2C) {
      let text = String(decoding: directive.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x22 }, as: UTF8.self)
        .asciiLowercased
      let parts = text.utf8.split(separator: 0x3D, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
      switch parts.first {
      case "no-store", "no-cache": return 0
      case "max-age":
        guard parts.count == 2, let seconds = Self.seconds(parts[1]) else { continue }
        freshness = min(freshness ?? seconds, seconds)
      default: continue
      }
    }
    guard let freshness else { return nil }
    return max(0, freshness - (age.flatMap(Self.seconds) ?? 0))
  }

  /// A number of seconds: ASCII digits only.
  private static func seconds(_ text: String) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Double(text)
  }
}
