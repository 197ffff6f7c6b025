import PureJOSEBenchmarking
import Foundation
import Testing

@Suite struct RunnerTests {
  private final class Counter {
    var first = 0
    var second = 0
  }

  @Test func runsEveryWorkloadInEveryRound() async throws {
    let counter = Counter()
    let workloads = [
      Workload("first", byteCount: 8) { counter.first += 1 },
      Workload("second", operationsPerCall: 10) { counter.second += 1 },
    ]
    let timings = try await Runner(schedule: Schedule(roundCount: 5, batchNanoseconds: 1000)).measure(workloads)
    #expect(timings.map(\.name) == ["first", "second"])
    #expect(timings.map(\.samples.count) == [5, 5])
    #expect(timings.allSatisfy { $0.samples.allSatisfy { $0 > 0 } })
    #expect(timings[0].megabytesPerSecond != nil && timings[1].megabytesPerSecond == nil)
    // More than once a round: calibration ran them too.
    #expect(counter.first > 5 && counter.second > 5)
  }

  @Test func aFailureEndsTheRun() async {
    struct Failure: Error {}
    let runner = Runner(schedule: Schedule(roundCount: 2, batchNanoseconds: 1000))
    await #expect(throws: Failure.self) {
      _ = try await runner.measure([Workload("fails") { throw Failure() }])
    }
  }
}
