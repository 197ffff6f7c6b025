import StrictJSON

/// A document that replaces the expected results of single tests, for files whose author decided a matter of policy in
/// another way.
package struct VectorOverrides: Sendable {
  /// The name of a document of overrides, beside or above the files that it is about.
  package static let fileName = "wycheproof_overrides.json"

  struct Override: Sendable {
    let fileName: String
    let testIdentifier: Int
    /// The test must say this, so that an override can't outlive the test it was written for.
    let comment: String
    let upstreamResult: ExpectedResult
    let result: ExpectedResult
  }

  private let overrides: [Override]

  /// No overrides.
  package static let none = VectorOverrides(overrides: [])

  private init(overrides: [Override]) {
    self.overrides = overrides
  }

  /// Reads a document of the schema `wycheproof_overrides_v1`.
  package init(parsing octets: [UInt8]) throws(VectorFault) {
    let object: JSONObject
    do throws(JSONError) {
      object = try JSONObject(parsing: octets)
    } catch {
      throw .malformed("not a JSON object: \(error)")
    }
    let document = MemberReader(object)
    _ = try document.string("description")
    guard try document.string("schema") == "wycheproof_overrides_v1" else { throw .malformed("unknown schema") }
    var overrides: [Override] = []
    for entry in try document.objects("overrides") {
      overrides.append(
        Override(
          fileName: try entry.string("file"), testIdentifier: try entry.integer("tcId"),
          comment: try entry.string("comment"), upstreamResult: try entry.result("upstreamResult"),
          result: try entry.result("result")))
      _ = try entry.string("reason")
      if let name = entry.unread.first { throw .malformed("unread field \(name)") }
    }
    if let name = document.unread.first { throw .malformed("unread field \(name)") }
    self.init(overrides: overrides)
  }

  /// The overrides for one file, by the number of the test.
  func `for`(fileName: String) -> [Int: Override] {
    let own = overrides.filter { $0.fileName.utf8.elementsEqual(fileName.utf8) }
    return Dictionary(own.map { ($0.testIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension MemberReader {
  /// One of the results `valid`, `invalid` and `acceptable`.
  func result(_ name: String) throws(VectorFault) -> ExpectedResult {
    guard let result = ExpectedResult(rawValue: try string(name)) else { throw .malformed("unknown \(name)") }
    return result
  }
}
