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
        {"file":"a.json","passed":0,"failed":1,"skipped":1,"reasons":{"SHA-1 is not implemented":1},"failures":[1]}

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

  @Test("a file of another kind fails")
  func otherFile() {
    let run = CommandRun(["vectors", "a.json"], files: ["a.json": Array("{}".utf8)])
    #expect(run.status == .invalid)
    #expect(
      run.text
        == "a.json: 0 passed, 1 failed, 0 skipped\n  failed none of the known formats\n0 passed, 1 failed, 0 skipped\n")
  }
}
