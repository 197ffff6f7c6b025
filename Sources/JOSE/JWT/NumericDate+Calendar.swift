extension NumericDate {
  /// `2026-11-22T06:14:43Z`: the proleptic Gregorian calendar, with as many digits as the year has, and without parts
  /// of a second.
  package var calendarText: String {
    let seconds = Int(secondsSince1970.rounded(.down))
    let (days, time) = (Self.floored(seconds, 86_400), seconds - Self.floored(seconds, 86_400) * 86_400)
    // Years that begin in March end with the leap day, and 400 of them have 146,097 days.
    let shifted = days + 719_468
    let era = Self.floored(shifted, 146_097)
    let day = shifted - era * 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let calendarMonth = month < 10 ? month + 3 : month - 9
    let calendarYear = era * 400 + year + (calendarMonth <= 2 ? 1 : 0)
    let date = [Self.padded(calendarYear, 4), Self.padded(calendarMonth, 2), Self.padded(dayOfMonth, 2)]
    let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }
    return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "Z"
  }

  private static func floored(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(abs(value))
    return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
