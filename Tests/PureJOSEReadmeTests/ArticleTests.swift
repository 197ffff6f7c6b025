import Foundation
import Testing

@Suite("Articles")
struct ArticleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every article of every documentation catalog.
  private static let articles: [String] = files(in: "Sources").filter { $0.contains(".docc/") && $0.hasSuffix(".md") }

  /// The lines of all code that is compiled with the tests, and of the server that `.ci/nightly` builds, without indentation.
  private static let compiled: [String] =
    (files(in: "Tests") + files(in: "Sources") + files(in: "Examples/PlatformSSOServer/Sources")
    + ["Examples/PlatformSSOServer/Package.swift"])
    .filter { $0.hasSuffix(".swift") }.map { lines(of: text(of: $0)).joined(separator: "\n") + "\n" }

  private static func files(in folder: String) -> [String] {
    let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.compactMap { $0 as? String }
    return (paths ?? []).map { folder + "/" + $0 }.sorted()
  }

  private static func text(of path: String) -> String {
    (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  @Test("the samples in the articles are compiled by some target", arguments: articles)
  func samples(_ article: String) {
    let blocks = Self.text(of: article).components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    for block in blocks {
      let lines = Self.lines(of: block)
      // What needs another package can't be compiled here.
      guard !lines.contains("import Vapor") else { continue }
      let sample = lines.joined(separator: "\n") + "\n"
      #expect(Self.compiled.contains { $0.contains(sample) }, "not compiled: \(lines.first ?? "an empty sample") …")
    }
  }

  @Test("every library has a catalog whose first page is about it")
  func catalogs() {
    for library in [
      "PureCrypto", "StrictJSON", "JOSEHTTP", "JOSE", "JOSEFoundation", "PlatformSSO", "NativeSSO",
      "NativeSSOAdministration", "NativeSSOFoundation", "SignInWithApple",
      "SignInWithAppleTesting", "TokenRefresh",
    ] {
      let page = "Sources/\(library)/\(library).docc/\(library).md"
      #expect(Self.articles.contains(page))
      #expect(Self.text(of: page).hasPrefix("# ``\(library)``\n"))
    }
  }
}
