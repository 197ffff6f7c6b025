import Foundation
import Testing

/// Tables in the documentation say which test shows what they claim. The tests must exist.
@Suite("Tests that the documentation names")
struct NamedTestsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let articles = "Sources/JOSE/JOSE.docc/"

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// All tests as `Suite/function`, by the attribute before the function and the type around it.
  private static let tests: Set<String> = {
    let folder = root.appending(path: "Tests").path
    let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var tests: Set<String> = []
    for path in paths where path.hasSuffix(".swift") {
      guard let text = try? text("Tests/" + path) else { continue }
      tests.formUnion(names(in: text))
    }
    return tests
  }()

  static func names(in text: String) -> Set<String> {
    var tests: Set<String> = []
    var suite = ""
    var isTest = false
    for line in text.split(separator: "\n").map({ withoutLiterals($0.trimmingCharacters(in: .whitespaces)) }) {
      let words = line.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }).map(
        String.init)
      if let index = words.firstIndex(where: { $0 == "struct" || $0 == "class" }), index + 1 < words.count,
        words[index + 1].hasSuffix("Tests"), line.hasSuffix("{")
      {
        suite = words[index + 1]
      }
      if line.hasPrefix("@Test") { isTest = true }
      if isTest, let index = words.firstIndex(of: "func"), index + 1 < words.count {
        tests.insert("\(suite)/\(words[index + 1])")
        isTest = false
      }
    }
    return tests
  }

  /// A line without what stands between quotation marks.
  private static func withoutLiterals(_ line: String) -> String {
    line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset.isMultiple(of: 2) }
      .map { String($0.element) }.joined()
  }

  /// The cells of a table's rows, without its head.
  private static func rows(_ article: String) throws -> [[String]] {
    try text(articles + article).split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
      .map { row in
        row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }

  /// The tests that a cell names.
  private static func named(_ cell: String) -> [String] {
    cell.split(separator: "`").map(String.init).filter { $0.contains("/") }
  }

  @Test("tests are found by suite and function")
  func finding() {
    let text = """
      @Suite("A")
      struct ATests {
        func helper() {}
        @Test("x") func one() {}
        @Test(
          "func two in a name",
          arguments: [1])
        func two(_ x: Int) {}
      }
      """
    #expect(Self.names(in: text) == ["ATests/one", "ATests/two"])
    #expect(Self.tests.contains("JWSTests/roundTrip") && Self.tests.count > 500)
  }

  @Test("each rule of the best current practice has a test that exists")
  func bestCurrentPractice() throws {
    let rows = try Self.rows("BestCurrentPractice.md")
    #expect(rows.count >= 45)
    for row in rows {
      #expect(row.count == 5 && ["MUST", "SHOULD"].contains(row[1]), "\(row)")
      let tests = Self.named(row[row.count - 1])
      #expect(!tests.isEmpty, "no test: \(row)")
      for test in tests { #expect(Self.tests.contains(test), "\(test) doesn't exist") }
    }
  }

  @Test("each feature that the comparison claims for this library has a test that exists")
  func comparison() throws {
    let rows = try Self.rows("Comparison.md")
    #expect(rows.count >= 20)
    for row in rows {
      #expect(row.count == 8, "\(row)")
      let tests = Self.named(row[row.count - 1])
      #expect(row[1] == "no" || !tests.isEmpty, "no test: \(row)")
      for test in tests { #expect(Self.tests.contains(test) || Self.isCheck(test), "\(test) doesn't exist") }
    }
  }

  /// Whether a path is that of a check, which CI runs.
  private static func isCheck(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: root.appending(path: path).path)
  }
}
