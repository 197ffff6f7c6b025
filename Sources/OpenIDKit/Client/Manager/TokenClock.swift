import JOSE

/// How a ``TokenManager`` tells the time and waits. Replace it in tests.
public struct TokenClock: Sendable {
  /// The date, for what is stored.
  public var wall: WallClock
  /// The time since some moment, never going back and counting while the device sleeps, for what is measured in this
  /// process.
  public var elapsed: @Sendable () -> Duration
  /// Waits for this long, or throws when the task is cancelled.
  public var sleep: @Sendable (_ duration: Duration) async throws -> Void

  /// A clock made of its parts.
  public init(
    wall: WallClock, elapsed: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (_ duration: Duration) async throws -> Void
  ) {
    self.wall = wall
    self.elapsed = elapsed
    self.sleep = sleep
  }

  /// The system's clocks.
  public static let system = TokenClock(
    wall: .system, elapsed: { start.duration(to: .now) },
    sleep: { try await Task.sleep(for: $0, clock: .continuous) })

  private static let start = ContinuousClock.now
}
