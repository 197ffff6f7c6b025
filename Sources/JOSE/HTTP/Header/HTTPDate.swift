extension HTTPHeaderFields {
  /// For how long the server wants to be left alone, by `Retry-After`: a number, or a date that counts from the
  /// server's own `Date`, and else from `now`.
  ///
  /// - Returns: nil without the field, or if it is neither.
  /// Source: RFC 9110 §10.2.3.
  package func retryAfter(now: NumericDate) -> Duration? {
    guard let text = values("Retry-After").first else { return nil }
    if !text.isEmpty, text.utf8.count <= 15, text.utf8.allSatisfy(\.isASCIIDigit) {
      return Int(text).map { .seconds($0) }
    }
    guard let date = HTTPDate.seconds(text, now: now) else { return nil }
    let present =
      values("Date").first.flatMap { HTTPDate.seconds($0, now: now) }.map(Double.init) ?? now.secondsSince1970
    return Duration(saturating: max(0, Double(date) - present))
  }
}

/// Dates in the three forms that HTTP has: `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete ones,
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`, which every recipient must read.
enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// Seconds since 1970. Whether the day of the week is the date's is not looked at.
  ///
  /// - Parameter now: by which a year of two digits is read: no date is more than 50 years ahead.
  ///
  /// Source: RFC 9110 §5.6.7.
  static func seconds(_ text: String, now: NumericDate) -> Int? {
    let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { Array($0) }
    return switch words.count {
    case 6 where isName(words[0].dropLast(), among: days) && words[0].last == UInt8(ascii: ","):
      words[5].elementsEqual("GMT".utf8)
        ? seconds(year: four(words[3]), month: words[2], day: two(words[1]), time: words[4]) : nil
    case 4 where isName(words[0].dropLast(), among: longDays) && words[0].last == UInt8(ascii: ","):
      words[3].elementsEqual("GMT".utf8) ? obsolete(words[1], time: words[2], now: now) : nil
    case 5 where isName(words[0][...], among: days):
      seconds(year: four(words[4]), month: words[1], day: two(words[2]), time: words[3])
    // A day of one digit has a second space before it.
    case 6 where isName(words[0][...], among: days) && words[2].isEmpty && words[3].count == 1:
      seconds(year: four(words[5]), month: words[1], day: number(words[3][...]), time: words[4])
    default: nil
    }
  }

  private static func isName(_ octets: ArraySlice<UInt8>, among names: [String]) -> Bool {
    names.contains { $0.utf8.elementsEqual(octets) }
  }

  /// `06-Nov-94`.
  private static func obsolete(_ date: [UInt8], time: [UInt8], now: NumericDate) -> Int? {
    let parts = date.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count == 3, let short = two(parts[2]) else { return nil }
    // Years are counted by their average length: a date that close to the bound has no meaning anyway.
    let century = (1970 + Int(now.secondsSince1970 / 31_556_952)) / 100 * 100
    for year in [century + 100 + short, century + short, century - 100 + short] {
      guard let seconds = seconds(year: year, month: parts[1], day: two(parts[0]), time: time) else { continue }
      if Double(seconds) <= now.secondsSince1970 + 50 * 31_556_952 { return seconds }
    }
    return nil
  }

  private static func seconds(year: Int?, month: [UInt8], day: Int?, time: [UInt8]) -> Int? {
    let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { two(Array($0)) }
    guard let year, let day, let month = months.firstIndex(where: { $0.utf8.elementsEqual(month) }), parts.count == 3,
      let hour = parts[0], let minute = parts[1], let second = parts[2],
      (1...31).contains(day), year >= 1970, hour < 24, minute < 60, second <= 60
    else { return nil }
    return ((days(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second
  }

  private static func two(_ digits: [UInt8]) -> Int? { digits.count == 2 ? number(digits[...]) : nil }
  private static func four(_ digits: [UInt8]) -> Int? { digits.count == 4 ? number(digits[...]) : nil }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Days since 1970, in the Gregorian calendar. Years begin in March, so that the leap day comes last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
