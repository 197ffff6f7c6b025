/// One entry point with secrets of two classes: one fixed secret, and random ones.
struct Experiment {
  let name: String

  /// How much slower than the fastest: so many times fewer measurements are taken.
  let slowness: Int

  /// Whether it leaks on purpose.
  let isTwin: Bool

  /// Makes everything that is needed for so many secrets of each class, and returns what is timed: a run with the secret at a place. The
  /// places below the number hold the fixed secret, each a copy of its own; those from it on hold random ones.
  let prepare: (_ number: Int) throws -> (_ place: Int) -> Void

  init(
    _ name: String, slowness: Int = 1, isTwin: Bool = false,
    prepare: @escaping (_ number: Int) throws -> (_ place: Int) -> Void
  ) {
    self.name = name
    self.slowness = slowness
    self.isTwin = isTwin
    self.prepare = prepare
  }

  /// Secrets of each class.
  static let number = 64

  /// The largest |t| of all measurements and of those below each of twenty thresholds: what interrupts a run makes it longer, and hides a
  /// small difference (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?", 2016).
  func measure(count: Int) throws -> Outcome {
    let run = try prepare(Self.number)
    var generator = SystemRandomNumberGenerator()
    var thresholds: [Double] = []
    var comparisons = [Comparison](repeating: Comparison(), count: 21)
    var durations = [Double](repeating: 0, count: 2000)
    var places = [Int](repeating: 0, count: 2000)
    var remaining = count
    for place in 0..<(2 * Self.number) { run(place) }
    while remaining > 0 {
      for index in places.indices {
        // Classes alternate at random, so that neither sees another state of the machine than the other.
        places[index] = Int(generator.next() & UInt64(2 * Self.number - 1))
      }
      for index in places.indices {
        let place = places[index]
        let start = ticks()
        run(place)
        durations[index] = Double(ticks() &- start)
      }
      if thresholds.isEmpty {
        // The first measurements only say where to crop.
        let sorted = durations.sorted()
        thresholds = (1...20).map { step in
          sorted[Int(Double(sorted.count - 1) * (1 - power(0.5, 10 * Double(step) / 20)))]
        }
        continue
      }
      for index in places.indices {
        let isFixed = places[index] < Self.number
        comparisons[0].add(durations[index], isFixed: isFixed)
        for step in 0..<20 where durations[index] <= thresholds[step] {
          comparisons[step + 1].add(durations[index], isFixed: isFixed)
        }
      }
      remaining -= places.count
    }
    return Outcome(comparisons)
  }
}

/// base^(exponent) for a base of 0.5, by square roots: no C library is needed for this.
private func power(_ base: Double, _ exponent: Double) -> Double {
  // Exponents are multiples of one half.
  var result = 1.0
  for _ in 0..<Int(exponent) { result *= base }
  return exponent == exponent.rounded(.down) ? result : result * base.squareRoot()
}

/// What came out of one experiment.
struct Outcome {
  let count: Int
  /// Mean ticks of a run.
  let ticks: Double
  /// Mean of the fixed class less that of the random one.
  let difference: Double
  /// The largest |t|.
  let t: Double

  init(_ comparisons: [Comparison]) {
    count = Int(comparisons[0].fixed.count + comparisons[0].random.count)
    ticks = comparisons[0].random.mean
    difference = comparisons[0].fixed.mean - comparisons[0].random.mean
    t = comparisons.map { abs($0.t) }.max() ?? 0
  }
}
