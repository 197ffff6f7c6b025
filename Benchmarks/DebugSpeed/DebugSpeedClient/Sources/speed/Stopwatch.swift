/// Measures one operation, or only carries it out.
struct Stopwatch {
  /// Whether each operation is carried out once and not measured.
  let once: Bool

  /// Prints the operation's name and the nanoseconds that it takes: the least of seven rounds of at least 30 ms.
  func measure<Result>(_ name: String, _ operation: () async throws -> Result) async throws {
    let clock = ContinuousClock()
    func seconds(_ count: Int) async throws -> Double {
      let begin = clock.now
      for _ in 0..<count { keep(try await operation()) }
      let elapsed = begin.duration(to: clock.now).components
      return Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    }
    let first = try await seconds(1)
    if once { return print(name) }
    var count = 1
    var elapsed = first
    while elapsed < 0.03 {
      count *= 2
      elapsed = try await seconds(count)
    }
    var least = elapsed
    for _ in 0..<7 { least = min(least, try await seconds(count)) }
    print(name, least / Double(count) * 1e9)
  }

  /// Takes a result, so that nothing is left out as useless.
  @inline(never)
  private func keep<Value>(_ value: Value) {}
}
