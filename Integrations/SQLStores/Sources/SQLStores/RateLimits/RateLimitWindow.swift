import JOSE

/// The attempts under one key in one window, which begins with the first.
struct RateLimitWindow {
  /// A window lasts this many seconds.
  static let length = 60.0

  let startedAt: NumericDate
  var count: Int64 = 0
  var blockedUntil: NumericDate?

  /// When the window is over.
  var end: NumericDate { startedAt.advanced(by: .seconds(Self.length)) }

  static func fetch(_ key: [UInt8], _ session: any SQLSession) throws -> RateLimitWindow? {
    let result = try session.run(
      "SELECT startedAt, count, blockedUntil FROM rateLimits WHERE key = ?", [.octets(key)])
    guard let row = result.rows.first else { return nil }
    guard row.count == 3, case .real(let startedAt) = row[0], case .integer(let count) = row[1] else {
      throw MalformedRecord()
    }
    var window = RateLimitWindow(startedAt: NumericDate(saturating: startedAt), count: count)
    if case .real(let end) = row[2] { window.blockedUntil = NumericDate(saturating: end) }
    return window
  }

  func write(_ key: [UInt8], _ session: any SQLSession) throws {
    _ = try session.run(
      """
      INSERT INTO rateLimits (key, startedAt, count, blockedUntil) VALUES (?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE
      SET startedAt = excluded.startedAt, count = excluded.count, blockedUntil = excluded.blockedUntil
      """, [.octets(key), .date(startedAt), .integer(count), blockedUntil.map { .date($0) } ?? .null])
  }
}
