import PureJOSETestSupport
import PureJOSEVectors

/// What TestVectors/COVERAGE.md says of each file.
struct CoverageTable {
  private var rows: [String: [String]] = [:]

  /// Reads one of the page's two tables: the package's own files, or those of other collections.
  init(ownFiles: Bool) throws {
    let page = String(decoding: try PackageFile.octets("TestVectors/COVERAGE.md"), as: UTF8.self)
    let parts = page.split(separator: "## Other collections", maxSplits: 1, omittingEmptySubsequences: false)
    let part = ownFiles ? parts[0] : parts.count > 1 ? parts[1] : ""
    for line in part.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmed }
      rows[cells[1].filter { $0 != "`" }] = Array(cells[2..<(cells.count - 1)])
    }
  }

  var fileCount: Int { rows.count }

  /// Whether the row of a file says what was run, passed and skipped: executed, passed for each backend, reasons.
  func agrees(with report: VectorReport, of file: VectorFile) -> Bool {
    let path = file.path.split(separator: "/").dropFirst().joined(separator: "/")
    guard let cells = rows[path], cells.count > 2 else { return false }
    let reasons = report.skippedByReason.sorted { $0.key < $1.key }.map { "\($0.value): \($0.key)" }
    return cells[0] == "\(report.executed)" && cells[1..<(cells.count - 1)].allSatisfy { $0 == "\(report.passed)" }
      && cells[cells.count - 1] == reasons.joined(separator: "; ")
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
