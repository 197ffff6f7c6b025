import PureJOSEBenchmarking

/// What a comparison gave.
struct Outcome {
  let name: String
  let peer: String
  let ours: Timing
  let theirs: Timing
  /// Peer's median ÷ our median.
  let ratio: Double
  /// How the ratios of the single rounds spread.
  let ratioSpread: Double

  init(_ comparison: Comparison, ours: Timing, theirs: Timing) {
    self.name = comparison.name
    self.peer = comparison.peer
    self.ours = ours
    self.theirs = theirs
    self.ratio = theirs.statistics.median / ours.statistics.median
    self.ratioSpread = Statistics(zip(theirs.samples, ours.samples).map { $0 / $1 }).spread
  }

  /// What is compared with a target.
  func value(in unit: Target.Unit) -> Double? {
    switch unit {
    case .ratio: ratio
    case .gigabytesPerSecond: ours.megabytesPerSecond.map { $0 / 1000 }
    }
  }

  /// One line.
  func json() throws -> String {
    try OutcomeLine(
      op: name, ours_ns: ours.statistics.median, peer: peer, peer_ns: theirs.statistics.median, ratio: ratio
    ).json()
  }
}
