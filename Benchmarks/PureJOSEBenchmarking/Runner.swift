/// Measures workloads side by side.
///
/// Every round runs one batch of each workload, so that a machine that gets slower or hotter on the way slows all of
/// them alike; the order turns around each round, so that none always runs after the same neighbour.
public struct Runner {
  private let schedule: Schedule
  private let clock = ContinuousClock()

  /// A runner that measures for so long.
  public init(schedule: Schedule) {
    self.schedule = schedule
  }

  /// The timings, in the order of the workloads.
  /// - Parameter progress: how far it has come, from 0 to 1, and with what.
  public func measure(
    _ workloads: [Workload], progress: (Double, String) -> Void = { _, _ in }
  ) async throws -> [Timing] {
    let roundCount = Double(schedule.roundCount)
    // To find out how often an operation fits takes about as long as eight rounds.
    let stepCount = 8 + roundCount
    var callCounts: [Int] = []
    for (index, workload) in workloads.enumerated() {
      progress(8 * Double(index) / Double(workloads.count) / stepCount, workload.name)
      callCounts.append(try await calibrate(workload))
    }

    var samples = [[Double]](repeating: [], count: workloads.count)
    for round in 0..<schedule.roundCount {
      progress((8 + Double(round)) / stepCount, "round \(round + 1) of \(schedule.roundCount)")
      let order = round.isMultiple(of: 2) ? Array(workloads.indices) : workloads.indices.reversed()
      for index in order {
        let workload = workloads[index]
        // The neighbours have used the caches since, so one call goes ahead.
        try await workload.run(callCount: 1)
        let elapsed = try await nanoseconds(of: workload, callCount: callCounts[index])
        samples[index].append(elapsed / Double(callCounts[index] * workload.operationsPerCall))
      }
    }
    return zip(workloads, samples).map { workload, samples in
      Timing(name: workload.name, byteCount: workload.byteCount, samples: samples)
    }
  }

  /// The number of calls that fill a batch.
  private func calibrate(_ workload: Workload) async throws -> Int {
    try await warmUp(workload)
    var callCount = 1
    while true {
      let elapsed = try await nanoseconds(of: workload, callCount: callCount)
      if elapsed >= schedule.batchNanoseconds / 2 {
        return max(1, Int(Double(callCount) * schedule.batchNanoseconds / elapsed))
      }
      callCount *= 2
    }
  }

  /// First calls are slow for reasons of their own: code is bound, tables are made once a key has been used several
  /// times.
  private func warmUp(_ workload: Workload) async throws {
    var callCount = 0
    var elapsed = 0.0
    while callCount < 8 || elapsed < schedule.batchNanoseconds {
      elapsed += try await nanoseconds(of: workload, callCount: 1)
      callCount += 1
    }
  }

  private func nanoseconds(of workload: Workload, callCount: Int) async throws -> Double {
    let start = clock.now
    try await workload.run(callCount: callCount)
    let (seconds, attoseconds) = start.duration(to: clock.now).components
    return Double(seconds) * 1e9 + Double(attoseconds) * 1e-9
  }
}
