import JOSE

/// How a ``TokenManager`` tells the time and waits. Replace it in tests.
public struct TokenClock: Sendable {
  /// The date, for what is stored.
  public var wall: WallClock
  /// Seconds since some moment, never going back and counting while the device sleeps, for what is measured in this
  /// process.
  public var elapsed: @Sendable () -> Double
  /// Waits for so many seconds, or throws when the task is cancelled.
  public var sleep: @Sendable (_ seconds: Double) async throws -> Void

  /// A clock made of its parts.
  public init(
    wall: WallClock, elapsed: @escaping @Sendable () -> Double,
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void
  ) {
    self.wall = wall
    self.elapsed = elapsed
    self.sleep = sleep
  }

  /// The system's clocks.
  public static let system = TokenClock(
    wall: .system,
    elapsed: {
      let passed = start.duration(to: .now).components
      return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
    },
    sleep: { try await Task.sleep(for: .seconds($0), clock: .continuous) })

  private static let start = ContinuousClock.now
}
