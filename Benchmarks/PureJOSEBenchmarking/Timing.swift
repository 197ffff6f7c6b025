/// What was measured of one workload: nanoseconds per operation.
public struct Timing: Sendable {
  /// The workload's name.
  public let name: String
  /// The bytes that one operation handles.
  public let byteCount: Int?
  /// One sample a round, in the order of the rounds.
  public let samples: [Double]
  /// The order statistics of the samples.
  public let statistics: Statistics

  /// The timing of a workload with at least one sample.
  public init(name: String, byteCount: Int?, samples: [Double]) {
    self.name = name
    self.byteCount = byteCount
    self.samples = samples
    self.statistics = Statistics(samples)
  }

  /// From the median.
  public var operationsPerSecond: Double { 1e9 / statistics.median }

  /// In units of 10⁶ bytes.
  public var megabytesPerSecond: Double? {
    byteCount.map { Double($0) * operationsPerSecond / 1e6 }
  }
}
