import Foundation
import JOSE

extension NumericDate {
  /// The date of a `Date`, or nil if it is further than 2⁵³ seconds from 1970.
  public init?(_ date: Date) {
    self.init(secondsSince1970: date.timeIntervalSince1970)
  }
}

extension Date {
  /// The `Date` of a numeric date.
  public init(_ date: NumericDate) {
    self.init(timeIntervalSince1970: date.secondsSince1970)
  }
}
