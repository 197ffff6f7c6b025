/// What a secret is, of those that are compared.
enum SecretClass {
  case fixed, random
}

/// One entry point with secrets of two classes: one fixed secret, and random ones.
struct Experiment {
  let name: String

  /// How much slower than the fastest: so many times fewer measurements are taken.
  let slowness: Int

  /// Whether it leaks on purpose.
  let isTwin: Bool

  /// Makes everything that is needed for a secret of the given class at each place, each in memory of its own, and
  /// returns what is timed: a run with the secret at a place.
  let prepare: (_ classes: [SecretClass]) throws -> (_ place: Int) -> Void

  init(
    _ name: String, slowness: Int = 1, isTwin: Bool = false,
    prepare: @escaping (_ classes: [SecretClass]) throws -> (_ place: Int) -> Void
  ) {
    self.name = name
    self.slowness = slowness
    self.isTwin = isTwin
    self.prepare = prepare
  }

  /// Secrets of each class.
  private static let number = 64
  /// How often all is made anew, in memory elsewhere.
  private static let rounds = 100

  /// The largest |t| of all measurements and of those below each of twenty thresholds: what interrupts a run makes it
  /// longer, and hides a small difference (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?", 2016).
  ///
  /// Where a secret lies in memory costs time as well: lines of the cache, addresses that differ by a page's multiple.
  /// A million measurements tell 64 addresses from 64 others. Therefore the classes are dealt to the places anew in
  /// each round, and t compares the rounds' differences of the two means with zero: what an address costs falls to
  /// either class by chance.
  func measure(count: Int) throws -> Outcome {
    var outcome = Outcome()
    for _ in 0..<Self.rounds {
      let classes =
        ([SecretClass](repeating: .fixed, count: Self.number) + [SecretClass](repeating: .random, count: Self.number))
        .shuffled()
      let run = try prepare(classes)
      for place in classes.indices { run(place) }
      // Classes alternate at random, so that neither sees another state of the machine than the other.
      let places = (0..<count / Self.rounds).map { _ in Int.random(in: classes.indices) }
      var durations = [Double](repeating: 0, count: places.count)
      for index in places.indices {
        let place = places[index]
        let start = ticks()
        run(place)
        durations[index] = Double(ticks() &- start)
      }
      outcome.add(durations, of: places.map { classes[$0] })
    }
    return outcome
  }
}
