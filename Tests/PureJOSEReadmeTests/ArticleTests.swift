import Foundation
import Testing

@Suite("Articles")
struct ArticleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every article of every documentation catalog.
  private static let articles: [String] = files(in: "Sources").filter { $0.contains(".docc/") && $0.hasSuffix(".md") }

  /// The lines of all code that is compiled, without indentation.
  private static let compiled: [String] = (files(in: "Tests") + files(in: "Sources") + nested)
    .filter { $0.hasSuffix(".swift") }.map { lines(of: text(of: $0)).joined(separator: "\n") + "\n" }

  /// Packages of their own, which `.ci/nightly` builds and drives. Their build folders are not looked into.
  private static let nested: [String] = ["Examples", "Integrations"].flatMap { folder in
    let packages = try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
    return (packages ?? []).flatMap { files(in: "\(folder)/\($0)/Sources") + ["\(folder)/\($0)/Package.swift"] }
  }

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
      // What needs a package that can't be had can't be compiled here, and the article says so.
      if Self.isUntested(lines) {
        #expect(Self.text(of: article).contains("untested"), "not compiled, and the article doesn't say so")
        continue
      }
      let sample = lines.joined(separator: "\n") + "\n"
      #expect(Self.compiled.contains { $0.contains(sample) }, "not compiled: \(lines.first ?? "an empty sample") …")
    }
  }

  private static func isUntested(_ sample: [String]) -> Bool {
    sample.contains("import Vapor") || sample.contains("import HummingbirdAuth")
  }

  /// Those whose public declarations are written down.
  private static let libraries = files(in: "API").filter { $0.hasSuffix(".txt") && !$0.hasSuffix("ceilings.txt") }
    .map { String($0.dropFirst("API/".count).dropLast(".txt".count)) }

  @Test("every library has a catalog whose first page is about it", arguments: libraries)
  func catalogs(_ library: String) {
    let page = "Sources/\(library)/\(library).docc/\(library).md"
    #expect(Self.articles.contains(page))
    #expect(Self.text(of: page).hasPrefix("# ``\(library)``\n"))
  }

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

  /// The public types of a library by its API text, without those inside others.
  private static func types(of library: String) -> Set<String> {
    var types: Set<String> = []
    for line in text(of: "API/\(library).txt").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let name = words.first, !name.contains("."), words.contains("public"),
        let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
        words[kind + 1].prefix(while: { $0.isLetter || $0.isNumber }) == name
      else { continue }
      types.insert(String(name))
    }
    return types
  }

  @Test("public types are found in the texts")
  func findingTypes() {
    #expect(Self.libraries.count >= 10 && Self.libraries.contains("JOSE"))
    #expect(Self.types(of: "JOSE").isSuperset(of: ["JWT", "RemoteKeySet", "RecordStore", "JOSEError"]))
  }

  @Test("every library stands in README's table of doors", arguments: libraries)
  func doors(_ library: String) {
    let readme = Self.text(of: "README.md")
    let table = readme.components(separatedBy: "## Doors").last?.components(separatedBy: "\n## ").first ?? ""
    let imports = table.split(separator: "\n").compactMap { $0.split(separator: "|").first }
    #expect(imports.contains { $0.contains("`\(library)`") })
  }

  @Test("every public type stands in a topic of its library's catalog", arguments: libraries)
  func topics(_ library: String) {
    let pages = Self.articles.filter { $0.hasPrefix("Sources/\(library)/") }
    let listed = Set(pages.flatMap { Self.lines(of: Self.text(of: $0)) }.filter { $0.hasPrefix("- ``") })
    let sources = Self.files(in: "Sources/\(library)").filter { $0.hasSuffix(".swift") }.map(Self.text).joined()
    let words = sources.split { !$0.isLetter && !$0.isNumber }
    // `public final class Name`, `public struct Name`
    let declared = Set(
      words.indices.dropFirst(2).compactMap { place in
        guard Self.kinds.contains(words[place - 1]), words[max(0, place - 3)..<place].contains("public") else {
          return nil
        }
        return String(words[place])
      } as [String])
    // A type that has gone stands in the text until that is made again, which `API/check` sees to.
    for type in Self.types(of: library).intersection(declared).sorted() {
      #expect(listed.contains("- ``\(type)``"), "\(type) is in no topic")
    }
  }
}
