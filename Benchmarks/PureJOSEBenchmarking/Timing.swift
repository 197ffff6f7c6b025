/// What was measured of one workload: nanoseconds per operation.
package struct Timing: Sendable {
  package let name: String
  /// The bytes that one operation handles.
  package let byteCount: Int?
  /// One sample a round, in the order of the rounds.
  package let samples: [Double]
  package let statistics: Statistics

  package init(name: String, byteCount: Int?, samples: [Double]) {
    self.name = name
    self.byteCount = byteCount
    self.samples = samples
    self.statistics = Statistics(samples)
  }

  package var operationsPerSecond: Double { 1e9 / statistics.median }

  /// In units of 10⁶ bytes.
  package var megabytesPerSecond: Double? {
    byteCount.map { Double($0) * operationsPerSecond / 1e6 }
  }
}
