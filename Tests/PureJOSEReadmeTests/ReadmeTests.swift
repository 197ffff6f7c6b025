import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func lines(of path: String) throws -> [Substring] {
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }

  @Test("the page is short, and its one sample is what this target compiles, at the top")
  func sample() throws {
    let page = try Self.lines(of: "README.md")
    #expect(page.count <= 120)
    #expect(page.filter { $0 == "```swift" }.count == 1)
    let begin = try #require(page.firstIndex(of: "```swift"))
    let end = try #require(page[begin...].firstIndex(of: "```"))
    #expect(end < 20)
    let sample = page[(begin + 1)..<end]
    #expect(sample.first == "import JOSE")
    let statements = sample.dropFirst().drop(while: \.isEmpty).map { $0.isEmpty ? "" : "  \($0)" }
    #expect(statements.count > 5)
    let compiled = try Self.lines(of: "Tests/PureJOSEReadmeTests/FirstToken.swift").joined(separator: "\n")
    #expect(compiled.hasPrefix("import JOSE\n") && compiled.contains(statements.joined(separator: "\n")))
  }

  @Test("the sample signs a token and verifies it")
  func firstToken() throws {
    #expect(try subjectOfFirstToken() == "jane")
  }
}
