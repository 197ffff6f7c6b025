import Foundation
import JOSE

/// What a request to the admin API is about.
struct AdminTarget {
  /// The path behind `/api/admin/`, unescaped.
  let segments: [String]
  private let query: FormFields

  init(_ request: HTTPRequestValue) throws(AdminError) {
    // The URL may be absolute or as the server saw it.
    var text = Substring(request.url)
    if let scheme = text.firstRange(of: "://") {
      let rest = text[scheme.upperBound...]
      text = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
    }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.first.map(String.init) ?? ""
    guard path.hasPrefix("/api/admin/") else { throw .notFound }
    var segments: [String] = []
    for segment in path.dropFirst("/api/admin/".count).split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = String(segment).removingPercentEncoding, !decoded.isEmpty else { throw .notFound }
      segments.append(decoded)
    }
    self.segments = segments
    guard parts.count > 1 else {
      query = [:]
      return
    }
    guard let fields = try? FormFields(decoding: Array(parts[1].utf8)) else { throw .invalidQuery }
    query = fields
  }

  /// Whether the segments are these; nil matches any.
  func matches(_ expected: String?...) -> Bool {
    segments.count == expected.count
      && zip(segments, expected).allSatisfy { segment, name in name.map { segment.isSame(as: $0) } ?? true }
  }

  /// Whether a flag is `true`.
  func flag(_ name: String) -> Bool { query.values(name).first.map { $0.isSame(as: "true") } ?? false }

  /// A number, or nil if it is not given.
  func number(_ name: String) throws(AdminError) -> Int? {
    guard let text = query.values(name).first else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { throw .invalidQuery }
    return number
  }
}
