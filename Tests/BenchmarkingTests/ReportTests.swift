import Benchmarking
import Foundation
import Testing

@Suite struct ReportTests {
  private let old = [Timing(name: "a", byteCount: 1000, samples: [200, 100, 300])]

  @Test func comesBackFromItsFile() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let report = Report(
      date: Date(timeIntervalSince1970: 1_700_000_000), configuration: "release", machine: .current(), timings: old)
    try report.write(to: file.path)
    let read = try Report(contentsOf: file.path)
    #expect(read.date == report.date)
    #expect(read.configuration == "release")
    #expect(read.machine == report.machine)
    #expect(read.results == report.results)
    #expect(read.results[0].median == 200 && read.results[0].minimum == 100 && read.results[0].byteCount == 1000)
  }

  @Test func comparesOldWithNew() {
    let report = Report(date: Date(), configuration: "release", machine: .current(), timings: old)
    #expect(report.speedUp(to: Timing(name: "a", byteCount: nil, samples: [100])) == 2)
    #expect(report.speedUp(to: Timing(name: "b", byteCount: nil, samples: [100])) == nil)
  }

  @Test func ratesFollowTheMedian() {
    #expect(old[0].operationsPerSecond == 5_000_000)
    #expect(old[0].megabytesPerSecond == 5000)
  }
}
