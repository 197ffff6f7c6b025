import Foundation
import PureJOSEBenchmarking

/// A page to be written of runs that were kept.
struct PageRequest {
  let path: String
  let sources: [String]

  /// - Throws: `UsageError` without sources.
  init(path: String, sources: [String]) throws(UsageError) {
    if sources.isEmpty { throw UsageError("--report needs files that --json kept") }
    self.path = path
    self.sources = sources
  }

  /// Reads all sources, and writes the page.
  func write() throws(UsageError) {
    var reports: [Report] = []
    var peers: [PeerRow] = []
    for source in sources {
      if let report = try? Report(contentsOf: source) {
        reports.append(report)
      } else if let text = FileManager.default.contents(atPath: source), let rows = PeerRow.rows(text) {
        peers += rows
      } else {
        throw UsageError("'\(source)' can't be read as results that bench --json kept or peers --json printed")
      }
    }
    let html = HistoryPage(History(reports), peers: peers).html
    do {
      try Data(html.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw UsageError("'\(path)' can't be written")
    }
  }
}
