import PureCrypto

/// Where "now" comes from. Replace it in tests, or where the system's clock must not be trusted.
public struct WallClock: Sendable {
  private let read: @Sendable () -> NumericDate

  /// A clock that reads as the closure says.
  public init(_ read: @escaping @Sendable () -> NumericDate) {
    self.read = read
  }

  /// The system's clock. One that can't be read shows 1970, at which every token is not yet valid or too young to
  /// exist.
  public static let system = WallClock { NumericDate(saturating: OperatingSystem.secondsSince1970) }

  /// A clock that stands still.
  public static func fixed(at date: NumericDate) -> WallClock {
    WallClock { date }
  }

  /// The time that the clock shows.
  public var now: NumericDate { read() }
}
