import JOSE
import StrictJSON

/// A family of vector files whose subject the package doesn't have. Its tests are skipped, and named.
struct UnimplementedFamily {
  /// Why the tests are skipped.
  let reason: String
  let testCount: Int

  private init(_ name: String, _ testCount: Int = 1) {
    (reason, self.testCount) = ("\(VectorFault.notImplemented(name))", testCount)
  }

  /// Recognizes a document by the first of its tests.
  init?(recognizing document: JSONObject) {
    if let tests = Self.tests("lists", of: document, with: ["bits", "lst"]) {
      self.init("Token Status List", tests.count)
    } else {
      return nil
    }
  }

  /// Recognizes one test in an array: a key with tokens for an algorithm.
  init?(recognizingElement test: JSONObject) {
    if let algorithm = test["alg"]?.stringValue, test.contains("jwk"),
      test.contains("compact") || test.contains("flattened"), SignatureAlgorithm(name: algorithm) == nil,
      KeyManagementAlgorithm(name: algorithm) == nil
    {
      self.init(algorithm)
    } else {
      return nil
    }
  }

  private static func tests(_ name: String, of document: JSONObject, with members: [String]) -> [JSONValue]? {
    guard let tests = document[name]?.arrayValue, let first = tests.first?.objectValue,
      members.allSatisfy(first.contains)
    else { return nil }
    return tests
  }
}
