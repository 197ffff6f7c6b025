import PureJOSEBenchmarking

/// What a comparison gave.
struct Outcome {
  let name: String
  let peer: String
  let ours: Timing
  let theirs: Timing
  /// Nanoseconds: the median, or the fastest round.
  let ourTime, theirTime: Double
  /// Peer's time ÷ our time.
  var ratio: Double { theirTime / ourTime }
  /// How the ratios of the single rounds spread.
  let ratioSpread: Double

  init(_ comparison: Comparison, ours: Timing, theirs: Timing, takesMinima: Bool) {
    self.name = comparison.name
    self.peer = comparison.peer
    self.ours = ours
    self.theirs = theirs
    self.ourTime = takesMinima ? ours.statistics.minimum : ours.statistics.median
    self.theirTime = takesMinima ? theirs.statistics.minimum : theirs.statistics.median
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
      op: name, ours_ns: ourTime, peer: peer, peer_ns: theirTime, ratio: ratio
    ).json()
  }
}
