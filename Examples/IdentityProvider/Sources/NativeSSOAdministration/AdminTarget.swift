import Foundation
import JOSE

/// The path and the query of a request to the administration API.
struct AdminTarget {
  /// The path behind `/api/admin/`, unescaped.
  let segments: [String]
  private let query: FormFields

  init(_ request: HTTPRequestValue) throws(AdminError) {
    let parts = request.url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first, path.hasPrefix("/api/admin/") else { throw .notFound }
    segments = path.dropFirst("/api/admin/".count).split(separator: "/", omittingEmptySubsequences: false)
      .map { String($0).removingPercentEncoding ?? "" }
    guard !segments.contains(where: \.isEmpty) else { throw .notFound }
    guard let fields = try? FormFields(decoding: parts.count > 1 ? Array(parts[1].utf8) : []) else {
      throw .invalidQuery
    }
    query = fields
  }

  /// Whether the segments are these, octet by octet; nil matches any.
  func matches(_ expected: String?...) -> Bool {
    segments.count == expected.count
      && zip(segments, expected).allSatisfy { $0.utf8.elementsEqual(($1 ?? $0).utf8) }
  }

  /// Whether a flag is `true`.
  func flag(_ name: String) -> Bool { query.values(name).first.map { $0.utf8.elementsEqual("true".utf8) } ?? false }

  /// A number, or nil if it is not given.
  func number(_ name: String) throws(AdminError) -> Int? {
    guard let text = query.values(name).first else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { throw .invalidQuery }
    return number
  }
}
