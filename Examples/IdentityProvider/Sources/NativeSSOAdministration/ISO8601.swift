import JOSE

/// Dates as the admin API writes them: UTC, milliseconds.
enum ISO8601 {
  /// `2025-10-09T08:53:20.000Z`.
  static func text(_ date: NumericDate) -> String {
    // Beyond year 9999 the form has no meaning; 2⁵³ seconds in milliseconds stay within Int64.
    let milliseconds = Int64((date.secondsSince1970 * 1000).rounded(.down))
    let (days, dayMilliseconds) = milliseconds.floorDivided(by: 86_400_000)
    let (year, month, day) = civil(days)
    let seconds = dayMilliseconds / 1000
    return
      "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(seconds / 3600, 2)):\(pad(seconds / 60 % 60, 2))"
      + ":\(pad(seconds % 60, 2)).\(pad(dayMilliseconds % 1000, 3))Z"
  }

  /// The Gregorian date of a day counted from 1970-01-01, by years that begin in March, in eras of 400 years or 146 097
  /// days.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).floorDivided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // Months from March have 153 days in every five.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func pad(_ value: Int64, _ count: Int) -> String {
    let digits = String(value.magnitude)
    return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
