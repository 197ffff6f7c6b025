import Foundation
import StrictJSON
import Testing

@testable import PureJOSECommand

@Suite("jose vectors")
struct VectorsVerbTests {
  /// A file with one test of SHA-256, and one of a hash function that the package doesn't have.
  private func file(digest: String = Self.emptyDigest) -> [UInt8] {
    Array(
      """
      {"algorithm": "SHA-2", "schema": "jose_vectors_v1", "source": {}, "numberOfTests": 2, "notes": {}, "testGroups": [
        {"type": "Hash", "sha": "SHA-256", "tests": [
          {"tcId": 1, "comment": "nothing", "flags": [], "msg": "", "digest": "\(digest)", "result": "valid"}]},
        {"type": "Hash", "sha": "SHA-1", "tests": [
          {"tcId": 2, "comment": "nothing", "flags": [], "msg": "", "digest": "", "result": "valid"}]}]}
      """.utf8)
  }

  private static let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test("a row per file, with what was skipped and why")
  func rows() {
    let run = CommandRun(["vectors", "a.json", "b.json"], files: ["a.json": file(), "b.json": file()])
    #expect(run.status == .done && run.errors.isEmpty)
    #expect(
      run.text == """
        a.json: 1 passed, 0 failed, 1 skipped
          skipped 1: SHA-1 is not implemented
        b.json: 1 passed, 0 failed, 1 skipped
          skipped 1: SHA-1 is not implemented
        2 passed, 0 failed, 2 skipped

        """)
    #expect(run.progress == ["1 of 2  a.json", nil, "2 of 2  b.json", nil])
  }

  @Test("an object per file on a line of its own")
  func json() {
    let run = CommandRun(["vectors", "--json", "a.json"], files: ["a.json": file(digest: "00")])
    #expect(run.status == .invalid && run.errors == ["jose: 1 vector tests failed"])
    #expect(
      run.text == """
        {"file":"a.json","passed":0,"failed":1,"skipped":1,"reasons":{"SHA-1 is not implemented":1},"remarks":{},"failures":[1]}

        """)
  }

  @Test("a failed test shows in the exit status, and by number when asked for")
  func failure() {
    let files = ["a.json": file(digest: "00")]
    let run = CommandRun(["vectors", "a.json"], files: files)
    #expect(run.status == .invalid && run.errors == ["jose: 1 vector tests failed"])
    #expect(!run.text.contains("#1"))
    let verbose = CommandRun(["vectors", "--verbose", "a.json"], files: files)
    #expect(verbose.status == .invalid && verbose.text.contains("  failed #1 the digest differs\n"))
  }

  @Test("overrides above a file are honoured")
  func overrides() {
    let overrides = """
      {"description": "", "schema": "wycheproof_overrides_v1", "overrides": [
        {"file": "a.json", "tcId": 1, "comment": "nothing", "upstreamResult": "valid", "result": "invalid", "reason": ""}]}
      """
    let run = CommandRun(
      ["vectors", "/x/y/a.json"],
      files: ["/x/y/a.json": file(), "/x/wycheproof_overrides.json": Array(overrides.utf8)])
    #expect(run.status == .invalid)
    let broken = CommandRun(
      ["vectors", "/x/y/a.json"], files: ["/x/y/a.json": file(), "/x/wycheproof_overrides.json": Array("{}".utf8)])
    #expect(broken.status == .invalid && broken.output.isEmpty && broken.errors.count == 1)
  }

  @Test("a file that can't be read and an unknown option are wrong usage")
  func usage() {
    #expect(CommandRun(["vectors", "missing.json"]).status == .usage)
    #expect(CommandRun(["vectors", "--quiet"]).status == .usage)
  }

  @Test("a file of another kind is skipped by name, and one that is damaged fails")
  func otherFile() {
    let files = ["a.json": Array("{}".utf8), "b.md": Array("# B".utf8), "c.json": Array("{".utf8)]
    let run = CommandRun(["vectors", "a.json", "b.md"], files: files)
    // Nothing was run at all.
    #expect(run.status == .invalid && run.errors == ["jose: no vector test was run"])
    #expect(
      run.text == """
        a.json: 0 passed, 0 failed, 1 skipped
          skipped 1: unknown form
        b.md: 0 passed, 0 failed, 1 skipped
          skipped 1: unknown form
        0 passed, 0 failed, 2 skipped

        """)
    let damaged = CommandRun(["vectors", "a.json", "c.json"], files: files)
    #expect(damaged.status == .invalid)
    #expect(damaged.text.contains("c.json: 0 passed, 1 failed, 0 skipped\n  failed not JSON: "))
  }

  /// A change of the file, what the run says, and whether it fails nothing.
  static let newerFiles: [(String, String, String, Bool)] = [
    ("\"notes\": {}", "\"notes\": {}, \"reviewed\": true", "remark 1: member reviewed is not read", true),
    ("\"tcId\": 1,", "\"tcId\": 1, \"author\": \"x\",", "remark 1: member author is not read", true),
    (
      "\"sha\": \"SHA-256\",", "\"sha\": \"SHA-256\", \"origin\": 1,",
      "remark 1: member origin in the group is not read", true
    ),
    (
      "\"type\": \"Hash\", \"sha\": \"SHA-1\"", "\"type\": \"Hash3\", \"sha\": \"SHA-1\"",
      "skipped 1: unknown group type Hash3", true
    ),
    // What may change the meaning is never a pass.
    ("\"tcId\": 1,", "\"tcId\": 1, \"salt\": \"00\",", "skipped 1: member salt is not known", false),
    (
      "\"sha\": \"SHA-256\",", "\"sha\": \"SHA-256\", \"preHash\": true,", "skipped 1: member preHash is not known",
      false
    ),
  ]

  @Test("what is newer than the runner is named and fails nothing, but for --strict", arguments: newerFiles)
  func newer(_ old: String, _ new: String, _ line: String, _ passes: Bool) {
    let text = String(decoding: file(), as: UTF8.self).replacing(old, with: new)
    let files = ["a.json": Array(text.utf8), "b.json": file()]
    let run = CommandRun(["vectors", "a.json", "b.json"], files: files)
    #expect(run.status == .done && run.text.contains(line), "\(run.text)")
    #expect(run.text.contains("a.json: \(passes ? 1 : 0) passed, 0 failed"), "\(run.text)")
    #expect(CommandRun(["vectors", "a.json"], files: files).status == (passes ? .done : .invalid))
    #expect(CommandRun(["vectors", "--strict", "a.json", "b.json"], files: files).status == .invalid)
  }

  @Test("a remark shows and fails nothing")
  func remarks() {
    let text = String(decoding: file(), as: UTF8.self).replacing("\"flags\": []", with: "\"flags\": [\"New\"]")
    let run = CommandRun(["vectors", "a.json"], files: ["a.json": Array(text.utf8)])
    #expect(run.status == .done)
    #expect(
      run.text == """
        a.json: 1 passed, 0 failed, 1 skipped
          skipped 1: SHA-1 is not implemented
          remark 2: flag New is not explained
        1 passed, 0 failed, 1 skipped

        """)
    let json = CommandRun(["vectors", "--json", "a.json"], files: ["a.json": Array(text.utf8)])
    #expect(json.text.contains("\"remarks\":{\"flag New is not explained\":2},\"failures\":[]}"))
  }

  @Test("every file of a folder is run or named")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("jose-\(UUID().uuidString)")
    let inner = folder.appendingPathComponent("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path
    for name in ["a.json", "README.md", "schema.json", "tool.py", ".hidden", "inner/b.json", "inner/notes.txt"] {
      try Data().write(to: folder.appendingPathComponent(name))
    }
    let files = [
      "\(path)/a.json": file(), "\(path)/inner/b.json": file(), "\(path)/inner/notes.txt": Array("Notes".utf8),
    ]
    let run = CommandRun(["vectors", path], files: files)
    #expect(run.status == .done && run.errors.isEmpty)
    #expect(
      run.text == """
        \(path)/a.json: 1 passed, 0 failed, 1 skipped
          skipped 1: SHA-1 is not implemented
        \(path)/inner/b.json: 1 passed, 0 failed, 1 skipped
          skipped 1: SHA-1 is not implemented
        \(path)/inner/notes.txt: 0 passed, 0 failed, 1 skipped
          skipped 1: unknown form
        no vector files: \(path)/README.md, \(path)/schema.json, \(path)/tool.py
        2 passed, 0 failed, 3 skipped

        """)
    let lines = CommandRun(["vectors", "--json", path], files: files).text.split(separator: "\n")
    try #require(lines.count == 4)
    let others = try JSONObject(parsing: Array(lines[3].utf8))
    let names = ["README.md", "schema.json", "tool.py"].map { JSONValue.string("\(path)/\($0)") }
    #expect(others["noVectorFiles"] == .array(names) && others.count == 1)
  }
}
