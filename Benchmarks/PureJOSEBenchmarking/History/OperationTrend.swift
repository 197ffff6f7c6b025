/// One operation through the runs of a series.
package struct OperationTrend {
  /// What was measured in one run.
  package struct Point: Equatable {
    /// The number of the run.
    package let run: Int
    package let entry: Report.Entry
    package let change: Change
  }

  /// How a run compares with the one before that has the operation.
  package enum Change: Equatable {
    /// The first one, or within the spread of both.
    case none
    /// New time ÷ old time, above 1.
    case slower(Double)
    /// New time ÷ old time, below 1.
    case faster(Double)
  }

  package let operation: String
  /// Only for runs that have the operation.
  package let points: [Point]

  package init(_ operation: String, in runs: [Report]) {
    self.operation = operation
    var points: [Point] = []
    for (run, report) in runs.enumerated() {
      guard let entry = report.results.first(where: { $0.operation == operation }) else { continue }
      points.append(Point(run: run, entry: entry, change: Self.change(from: points.last?.entry, to: entry)))
    }
    self.points = points
  }

  /// What lies between the quartiles is the run's own noise: where the middle halves of two runs touch, or the medians
  /// are within three in a hundred, nothing is said.
  package static func change(from old: Report.Entry?, to new: Report.Entry) -> Change {
    guard let old, old.median > 0 else { return .none }
    let ratio = new.median / old.median
    if new.lowerQuartile > old.upperQuartile, ratio > 1.03 { return .slower(ratio) }
    if new.upperQuartile < old.lowerQuartile, ratio < 0.97 { return .faster(ratio) }
    return .none
  }

  /// The newest run's change, if the newest run of the series has the operation.
  package func change(inRun run: Int) -> Change {
    guard let last = points.last, last.run == run else { return .none }
    return last.change
  }
}
