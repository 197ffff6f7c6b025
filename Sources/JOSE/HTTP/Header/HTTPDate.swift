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
    guard let date = HTTPDate.seconds(text) else { return nil }
    let present = values("Date").first.flatMap(HTTPDate.seconds).map(Double.init) ?? now.secondsSince1970
    return Duration(saturating: max(0, Double(date) - present))
  }
}

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`. The two obsolete forms are not read.
enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970. The day of the week is not looked at.
  ///
  /// Source: RFC 9110 §5.6.7.
  static func seconds(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[19] == UInt8(ascii: ":"),
      bytes[22] == UInt8(ascii: ":"), bytes[25...].elementsEqual(" GMT".utf8),
      [4, 7, 11, 16].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }),
      let month = months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8..<11]) }),
      let day = number(bytes[5..<7]), let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]),
      let minute = number(bytes[20..<22]), let second = number(bytes[23..<25]),
      (1...31).contains(day), year >= 1970, hour < 24, minute < 60, second <= 60
    else { return nil }
    return ((days(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second
  }

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
