import PureJOSEBenchmarking
import Foundation
import Testing

@Suite struct ReportTests {
  private let old = [Timing(name: "a", byteCount: 1000, samples: [200, 100, 300])]

  @Test func comesBackFromItsFile() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let report = Report(
      date: Date(timeIntervalSince1970: 1_700_000_000), configuration: "release", backend: "portable",
      machine: .current(), timings: old)
    try report.write(to: file.path)
    let read = try Report(contentsOf: file.path)
    #expect(read.date == report.date)
    #expect(read.configuration == "release" && read.backend == "portable")
    #expect(read.machine == report.machine)
    #expect(read.results == report.results)
    #expect(read.results[0].median == 200 && read.results[0].minimum == 100 && read.results[0].byteCount == 1000)
  }

  @Test func comparesOldWithNew() {
    let report = Report(date: Date(), configuration: "release", backend: "portable", machine: .current(), timings: old)
    #expect(report.speedUp(to: Timing(name: "a", byteCount: nil, samples: [100])) == 2)
    #expect(report.speedUp(to: Timing(name: "b", byteCount: nil, samples: [100])) == nil)
  }

  @Test func onlyTheSameConditionsCompare() {
    func report(_ configuration: String, _ backend: String) -> Report {
      Report(date: Date(), configuration: configuration, backend: backend, machine: .current(), timings: old)
    }
    #expect(report("release", "portable").isComparable(with: report("release", "portable")))
    #expect(!report("release", "portable").isComparable(with: report("debug", "portable")))
    #expect(!report("release", "portable").isComparable(with: report("release", "aesni")))
  }

  @Test func ratesFollowTheMedian() {
    #expect(old[0].operationsPerSecond == 5_000_000)
    #expect(old[0].megabytesPerSecond == 5000)
  }
}
