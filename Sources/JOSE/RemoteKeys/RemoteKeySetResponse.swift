/// What a server answered when it was asked for its key set.
public struct RemoteKeySetResponse: Sendable {
  /// The status code. Only 200 is taken; don't follow redirects on the way here.
  public var status: Int
  /// The field `Cache-Control`, if there is one.
  public var cacheControl: String?
  /// The body.
  public var body: [UInt8]

  /// An answer of these parts.
  public init(status: Int, cacheControl: String? = nil, body: [UInt8]) {
    self.status = status
    self.cacheControl = cacheControl
    self.body = body
  }

  /// Seconds for which the answer stays fresh, as far as it says: `max-age`, and 0 for `no-store` and `no-cache`.
  ///
  /// Source: RFC 9111 §5.2.2.
  var maximumAge: Double? {
    guard let cacheControl else { return nil }
    var age: Double?
    for directive in cacheControl.utf8.split(separator: 0x2C) {
      let text = String(decoding: directive.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x22 }, as: UTF8.self)
        .asciiLowercased
      let parts = text.utf8.split(separator: 0x3D, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
      switch parts.first {
      case "no-store", "no-cache": return 0
      case "max-age":
        guard parts.count == 2, !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let seconds = Double(parts[1])
        else { continue }
        age = min(age ?? seconds, seconds)
      default: continue
      }
    }
    return age
  }
}
