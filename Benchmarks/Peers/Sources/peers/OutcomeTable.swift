import PureJOSEBenchmarking

/// The outcomes to read.
enum OutcomeTable {
  /// - Parameter targets: by operation, or nil to leave them out.
  static func text(_ outcomes: [Outcome], targets: [String: Target]?) -> String {
    let heading = ["operation", "ours", "peer", "library", "ratio", "spread"]
    var table = Table(heading + (targets == nil ? [] : ["floor", "aim", "reached"]))
    for outcome in outcomes {
      var cells = [
        outcome.name, NumberText.duration(nanoseconds: outcome.ourTime),
        NumberText.duration(nanoseconds: outcome.theirTime), outcome.peer,
        NumberText.ratio(outcome.ratio), NumberText.spread(outcome.ratioSpread),
      ]
      if let targets { cells += targetCells(outcome, targets[outcome.name]) }
      table.append(cells)
    }
    return table.text
  }

  private static func targetCells(_ outcome: Outcome, _ target: Target?) -> [String] {
    guard let target, let value = outcome.value(in: target.unit) else { return ["", "", ""] }
    let reached = value >= target.aim ? "aim" : value >= target.floor ? "floor" : "no"
    func text(_ number: Double) -> String {
      switch target.unit {
      case .ratio: NumberText.ratio(number)
      case .gigabytesPerSecond: "\(NumberText.significant(number)) GB/s"
      }
    }
    return [text(target.floor), text(target.aim), target.unit == .ratio ? reached : "\(text(value)): \(reached)"]
  }
}
