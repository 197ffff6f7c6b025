import PureJOSETestSupport
import StrictJSON
import Testing

/// What the package's own vectors of ML-DSA and ML-KEM must have among them, so that each rule has one that it decides.
@Suite("Vectors of lattices")
struct LatticeVectorTests {
  /// The groups of a type, by their parameter set.
  private func groups(_ file: String, ofType type: String) throws -> [(set: String, tests: [JSONObject])] {
    let document = try JSONValue(parsing: try VectorFiles.own(file))
    let groups = try #require(document.objectValue?["testGroups"]?.arrayValue).compactMap(\.objectValue)
    return try groups.filter { $0["type"]?.stringValue == type }.map { group in
      let tests = try #require(group["tests"]?.arrayValue).compactMap(\.objectValue)
      return (set: try #require(group["parameterSet"]?.stringValue), tests: tests)
    }
  }

  @Test(
    "Signing rejects for each bound alone, in each polynomial",
    arguments: [("ML-DSA-44", 4, 4), ("ML-DSA-65", 6, 5), ("ML-DSA-87", 8, 7)])
  func rejections(set: String, rows: Int, columns: Int) throws {
    let tests = try groups("ml_dsa.json", ofType: "MlDsaSign").filter { $0.set == set }.flatMap { $0.tests }
    let causes = try tests.flatMap { test in
      try #require(test["rejections"]?.arrayValue).map { try #require($0.stringValue) }
    }
    for column in 0..<columns { #expect(causes.contains("z \(column)"), "z of polynomial \(column)") }
    for row in 0..<rows { #expect(causes.contains("r0 \(row)"), "r0 of polynomial \(row)") }
    #expect(causes.contains { $0.hasPrefix("hints ") })
    // The other two can't come to this bound.
    #expect(causes.contains { $0.hasPrefix("ct0 ") } == (set == "ML-DSA-44"))
  }

  @Test(
    "Every parameter set has its tests, right and wrong ones",
    arguments: [
      ("MlDsaSign", "ML-DSA-44", 16, 0), ("MlDsaSign", "ML-DSA-65", 18, 0), ("MlDsaSign", "ML-DSA-87", 22, 0),
      ("MlDsaVerify", "ML-DSA-44", 7, 25), ("MlDsaVerify", "ML-DSA-65", 4, 15), ("MlDsaVerify", "ML-DSA-87", 4, 17),
      ("MlKemKey", "ML-KEM-768", 2, 0), ("MlKemKey", "ML-KEM-1024", 2, 0),
      ("MlKemEncapsulation", "ML-KEM-768", 3, 5), ("MlKemEncapsulation", "ML-KEM-1024", 3, 6),
      ("MlKemDecapsulation", "ML-KEM-768", 5, 4), ("MlKemDecapsulation", "ML-KEM-1024", 5, 4),
      ("MlKemExpandedKey", "ML-KEM-768", 1, 6), ("MlKemExpandedKey", "ML-KEM-1024", 1, 2),
    ])
  func counts(type: String, set: String, valid: Int, invalid: Int) throws {
    let file = type.hasPrefix("MlDsa") ? "ml_dsa.json" : "ml_kem.json"
    let results = try groups(file, ofType: type).filter { $0.set == set }.flatMap { $0.tests }
      .map { $0["result"]?.stringValue }
    #expect(results.filter { $0 == "valid" }.count == valid)
    #expect(results.filter { $0 == "invalid" }.count == invalid)
    #expect(results.count == valid + invalid)
  }
}
