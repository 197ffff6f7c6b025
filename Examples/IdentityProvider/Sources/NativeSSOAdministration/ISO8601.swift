import Foundation
import JOSE

/// Dates as the admin API writes them: UTC, milliseconds.
enum ISO8601 {
  /// `2025-10-09T08:53:20.000Z`.
  static func text(_ date: NumericDate) -> String {
    Date(timeIntervalSince1970: date.secondsSince1970).ISO8601Format(.init(includingFractionalSeconds: true))
  }
}
