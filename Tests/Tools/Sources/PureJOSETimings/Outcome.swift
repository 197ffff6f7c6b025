/// What came out of one experiment, round by round.
struct Outcome {
  /// Durations above which a measurement counts as interrupted, one above the other, from the first round.
  private var thresholds: [Double] = []
  /// The rounds' differences of the means, fixed less random: of all measurements, and of those up to each threshold.
  private var differences = [Moments](repeating: Moments(), count: 21)
  private var durations = Moments()

  /// Takes the measurements of a round.
  mutating func add(_ measured: [Double], of classes: [SecretClass]) {
    if thresholds.isEmpty {
      let sorted = measured.sorted()
      thresholds = (1...20).map { step in sorted[Int(Double(sorted.count - 1) * (1 - power(0.5, Double(step) / 2)))] }
    }
    var means = [(fixed: Moments, random: Moments)](repeating: (Moments(), Moments()), count: 21)
    for (duration, secretClass) in zip(measured, classes) {
      durations.add(duration)
      for step in 0...20 where step == 0 || duration <= thresholds[step - 1] {
        if secretClass == .fixed { means[step].fixed.add(duration) } else { means[step].random.add(duration) }
      }
    }
    for (step, means) in means.enumerated() where means.fixed.count > 5 && means.random.count > 5 {
      differences[step].add(means.fixed.mean - means.random.mean)
    }
  }

  /// Measurements.
  var count: Int { Int(durations.count) }
  /// Mean ticks of a run.
  var ticks: Double { durations.mean }
  /// Mean of the fixed class less that of the random one.
  var difference: Double { differences[0].mean }
  /// The largest |t| of the differences against zero, of those that half of the rounds or more have had something to
  /// say about.
  var t: Double {
    differences.map { moments in
      moments.count >= 50 && moments.variance > 0
        ? abs(moments.mean) / (moments.variance / moments.count).squareRoot() : 0
    }.max() ?? 0
  }
}

/// base^(exponent) for a base of 0.5, by square roots: no C library is needed for this.
private func power(_ base: Double, _ exponent: Double) -> Double {
  // Exponents are multiples of one half.
  var result = 1.0
  for _ in 0..<Int(exponent) { result *= base }
  return exponent == exponent.rounded(.down) ? result : result * base.squareRoot()
}
