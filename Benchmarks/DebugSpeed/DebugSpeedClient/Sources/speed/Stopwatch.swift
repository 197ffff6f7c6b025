/// Measures one operation, or only carries it out.
struct Stopwatch {
  /// Whether each operation is carried out once and not measured.
  let once: Bool

  /// Prints the operation's name and the nanoseconds that it takes: the least of seven rounds of at least 30 ms.
  ///
  /// It stays where the caller is: a change of threads before each operation would take longer than most of them, and
  /// hide what they cost.
  func measure<Result>(
    _ name: String, isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async throws {
    let clock = ContinuousClock()
    keep(try await operation())
    if once { return print(name) }
    var count = 1
    var least = Double.infinity
    var rounds = 0
    while rounds < 7 {
      let begin = clock.now
      for _ in 0..<count { keep(try await operation()) }
      let elapsed = begin.duration(to: clock.now).components
      let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
      if seconds < 0.03 {
        count *= 2
        (least, rounds) = (.infinity, 0)
      } else {
        least = min(least, seconds)
        rounds += 1
      }
    }
    print(name, least / Double(count) * 1e9)
  }

  /// Takes a result, so that nothing is left out as useless.
  @inline(never)
  private func keep<Value>(_ value: Value) {}
}
