import Foundation
import PureJOSEBenchmarking
import Testing

@Suite("Runs over time")
struct HistoryTests {
  private static func report(
    day: Int, backend: String = "portable", isFastest: Bool? = nil, commit: String? = nil, _ samples: [String: [Double]]
  ) -> Report {
    let timings = samples.keys.sorted().map { Timing(name: $0, byteCount: nil, samples: samples[$0] ?? []) }
    return Report(
      date: Date(timeIntervalSince1970: Double(day) * 86_400), commit: commit, configuration: "release",
      backend: backend, isFastestBackend: isFastest, machine: .current(), timings: timings)
  }

  @Test("Runs come by date, machines and backends apart, and the same file twice counts once")
  func order() {
    let reports = [
      Self.report(day: 2, ["a": [2]]), Self.report(day: 1, ["a": [1]]),
      Self.report(day: 3, backend: "aesni", ["a": [3]]), Self.report(day: 2, ["a": [2]]),
    ]
    let history = History(reports)
    #expect(history.series.map(\.backend) == ["aesni", "portable"])
    #expect(history.series[1].runs.map(\.date) == [1, 2].map { Date(timeIntervalSince1970: $0 * 86_400) })
    #expect(history.series[1].operations.map(\.operation) == ["a"])
  }

  @Test("A backend that is the fastest now goes on with the line of the one before")
  func fastestBackend() {
    let reports = [
      Self.report(day: 1, backend: "avx512", ["a": [4]]),
      Self.report(day: 2, backend: "avx512ifma", isFastest: true, ["a": [2]]),
      Self.report(day: 3, backend: "avx512", isFastest: false, ["a": [4]]),
    ]
    let history = History(reports)
    #expect(history.series.map(\.backend) == ["avx512", "avx512ifma"])
    #expect(history.series.map(\.runs.count) == [1, 2])
  }

  @Test("An operation that one run lacks goes on from the one before")
  func gaps() {
    let runs = [
      Self.report(day: 1, ["a": [100], "b": [5]]), Self.report(day: 2, ["b": [5]]), Self.report(day: 3, ["a": [200]]),
    ]
    let trend = OperationTrend("a", in: runs)
    #expect(trend.points.map(\.run) == [0, 2])
    #expect(trend.points[1].change == .slower(2))
    #expect(trend.change(inRun: 2) == .slower(2))
    #expect(OperationTrend("b", in: runs).change(inRun: 2) == .none)
  }

  @Test(
    "A change counts beyond the spread of both runs, and beyond three in a hundred",
    arguments: [
      ([100, 100, 100], [110, 110, 110], OperationTrend.Change.slower(1.1)),
      ([100, 100, 100], [90, 90, 90], .faster(0.9)),
      ([100, 100, 100], [102, 102, 102], .none),
      ([80, 100, 120], [90, 110, 130], .none),
      ([80, 100, 120], [70, 90, 110], .none),
    ] as [([Double], [Double], OperationTrend.Change)])
  func changes(_ old: [Double], _ new: [Double], _ expected: OperationTrend.Change) {
    let runs = [Self.report(day: 1, ["a": old]), Self.report(day: 2, ["a": new])]
    #expect(OperationTrend("a", in: runs).points[1].change == expected)
  }

  @Test("A page has a picture of each operation, marks what got slower, and fetches nothing")
  func page() {
    let history = History([
      Self.report(day: 1, commit: "1111111", ["p256.sign": [100], "sha256.1k": [10]]),
      Self.report(day: 2, commit: "2222222", ["p256.sign": [150], "sha256.1k": [10]]),
    ])
    let html = HistoryPage(history, peers: [PeerRow(operation: "p256.sign", ours: 10, peer: "other", theirs: 25)]).html
    #expect(html.components(separatedBy: "<svg").count == 3)
    #expect(html.components(separatedBy: "<circle class=\"slower\"").count == 2)
    #expect(html.contains("p256.sign: 1.50 times as long"))
    #expect(html.contains("1970-01-03 2222222 portable"))
    #expect(html.contains("2.50×") && html.contains("width:40.0%"))
    for word in ["http://", "https://", "<script", "src=", "url("] { #expect(!html.contains(word)) }
  }

  @Test("What a file says is text on the page, whatever it says")
  func escaping() {
    let hostile = "<img src=x>\"&"
    let history = History([Self.report(day: 1, backend: hostile, commit: hostile, [hostile: [1]])])
    let html = HistoryPage(history, peers: [PeerRow(operation: hostile, ours: 1, peer: hostile, theirs: 1)]).html
    #expect(!html.contains("<img"))
    #expect(html.contains("&lt;img src=x&gt;&quot;&amp;"))
  }

  @Test("Rows of peers are read line by line, and anything else is refused")
  func peerRows() {
    let line = #"{"op":"a","ours_ns":2,"peer":"p","peer_ns":5,"ratio":2.5}"#
    let rows = PeerRow.rows(Data("\(line)\n\(line)\n".utf8))
    #expect(rows?.count == 2)
    #expect(rows?.first?.ratio == 2.5)
    for text in ["", "{}", "\(line)\n{}", #"{"op":"a","ours_ns":0,"peer":"p","peer_ns":5}"#] {
      #expect(PeerRow.rows(Data(text.utf8)) == nil)
    }
  }

  @Test("A line of progress says how far, and takes the one before away")
  func progress() {
    #expect(ProgressLine.line(percentage: 0, "a") == "\r\u{1b}[K···················· 0 %  a")
    #expect(ProgressLine.line(percentage: 50, "b") == "\r\u{1b}[K##########·········· 50 %  b")
    #expect(ProgressLine.line(percentage: 100, "c") == "\r\u{1b}[K#################### 100 %  c")
  }
}
