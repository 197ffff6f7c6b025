import Foundation
import Testing

@Suite("Kinds of records")
struct RecordKindTests {
  /// Records of one store with one name would be taken for each other.
  @Test("Each kind of record has a name of its own, in all modules together")
  func names() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let files =
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    var places: [String: [String]] = [:]
    for file in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /Kind\(library: "([^"]+)"\)/) {
        places[String(match.1), default: []].append(file.lastPathComponent)
      }
    }
    #expect(places.count > 20)
    for (name, files) in places { #expect(files.count == 1, "\(name): \(files)") }
  }
}
