import Foundation
import Synchronization
import PureJOSETestSupport
import Testing
import PureJOSEVectors

/// Runs every vector file there is.
@Suite("Vector files")
struct VectorFileTests {
  private static let tally = Mutex(Tally(filesLeft: VectorFiles.own.count + VectorFiles.other.count))

  @Test("The package's own vectors are found")
  func ownVectorsAreFound() {
    #expect(VectorFiles.own.count >= 26)
  }

  @Test("Every test comes out as its file says", arguments: VectorFiles.own + VectorFiles.other)
  func everyTestComesOutAsItsFileSays(_ file: VectorFile) throws {
    let report = VectorRunner.run(
      try file.octets(), fileName: file.name, overrides: try Self.overrides(beside: file))
    let failures = report.failures.map { "#\($0.testIdentifier) \($0.reason)" }
    #expect(failures.isEmpty, "\(failures.count) tests failed: \(failures.prefix(20).joined(separator: "; "))")
    #expect(report.executed + report.skipped > 0)
    let isOwn = VectorFiles.own.contains { $0.path == file.path }
    if isOwn || Self.judgesOtherCollections {
      let coverage = try CoverageTable(ownFiles: isOwn)
      #expect(coverage.agrees(with: report, of: file), "COVERAGE.md is stale: run TestVectors/coverage.py")
    }
    if isOwn {
      // Here, since a second run of all files takes ten seconds.
      #expect(report.skippedByReason.isEmpty && report.remarks.isEmpty)
      let readme = String(decoding: try VectorFiles.own("README.md"), as: UTF8.self)
      #expect(
        readme.contains("| `\(file.name)` | \(report.executed + report.skipped) |"),
        "the README beside the package's own vectors counts others")
    }
    Self.tally.withLock { $0.add(report, of: file) }
  }

  /// Other collections lie where they are put; whoever names them wants all of them on the page.
  private static let judgesOtherCollections = ProcessInfo.processInfo.environment["PUREJOSE_VECTORS"] != nil

  @Test("The page of coverage lists the package's own files and no others")
  func coverageListsEveryFile() throws {
    #expect(try CoverageTable(ownFiles: true).fileCount == VectorFiles.own.count)
    if Self.judgesOtherCollections { #expect(try CoverageTable(ownFiles: false).fileCount == VectorFiles.other.count) }
  }

  /// The overrides in the file's folder or one above it, within the folder of vectors.
  private static func overrides(beside file: VectorFile) throws -> VectorOverrides {
    var folder = file.url.deletingLastPathComponent()
    for _ in file.path.split(separator: "/").dropFirst() {
      let document = folder.appendingPathComponent(VectorOverrides.fileName)
      if let data = try? Data(contentsOf: document) { return try VectorOverrides(parsing: Array(data)) }
      folder = folder.deletingLastPathComponent()
    }
    return .none
  }
}

/// Counts what was run, and says so when the last file is done.
private struct Tally {
  var filesLeft: Int
  private var executed = 0
  private var skipped = 0
  private var failed = 0

  init(filesLeft: Int) {
    self.filesLeft = filesLeft
  }

  mutating func add(_ report: VectorReport, of file: VectorFile) {
    executed += report.executed
    skipped += report.skipped
    failed += report.failures.count
    print("vectors: \(file): \(report.executed) executed, \(report.skipped) skipped")
    filesLeft -= 1
    if filesLeft == 0 {
      print("vectors: total: \(executed) executed, \(skipped) skipped, \(failed) failed")
    }
  }
}
