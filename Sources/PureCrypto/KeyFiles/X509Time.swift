// Dates in certificates. Years are counted from March on, so that a leap day comes last; seconds are those since
// 1970-01-01 00:00 UTC.
//
// Source: RFC 5280 §4.1.2.5.

extension DERReader {
  /// Reads a UTCTime `YYMMDDhhmmssZ`, where 50 is 1950 and 49 is 2049, or a GeneralizedTime with four digits of the
  /// year, for years that UTCTime has no digits for.
  package mutating func readTime() throws(CryptoError) -> Int {
    let yearDigitCount = isNext(.utcTime) ? 2 : 4
    let text = try read(isNext(.utcTime) ? .utcTime : .generalizedTime).bytes
    guard text.count == yearDigitCount &+ 11, text.last == 0x5A else { throw DERReader.otherForm }
    return try DERReader.seconds(text.dropLast(), yearDigitCount: yearDigitCount) { year in
      yearDigitCount == 2 || !(1950..<2050).contains(year)
    }
  }

  /// Reads a date in any form that ASN.1 has for it: of any year, without seconds or minutes, with a fraction, which is
  /// left out, and with an offset from UTC or without one, which is taken for UTC.
  ///
  /// Source: X.680 §46, §47.
  package mutating func readTimeInAnyForm() throws(CryptoError) -> Int {
    let yearDigitCount = isNext(.utcTime) ? 2 : 4
    var text = Array(try read(isNext(.utcTime) ? .utcTime : .generalizedTime).bytes)
    var offset = 0
    if text.last == 0x5A {
      text.removeLast()
    } else if let sign = text.dropLast(4).last, sign == 0x2B || sign == 0x2D {
      let digits = text.suffix(4).map { Int($0) &- 0x30 }
      guard digits.allSatisfy((0...9).contains) else { throw DERReader.otherForm }
      let minutes = (digits[0] &* 10 &+ digits[1]) &* 60 &+ digits[2] &* 10 &+ digits[3]
      offset = sign == 0x2B ? minutes &* 60 : minutes &* -60
      text.removeLast(5)
    }
    if let point = text.firstIndex(where: { $0 == 0x2E || $0 == 0x2C }) { text.removeSubrange(point...) }
    let missing = yearDigitCount &+ 10 &- text.count
    guard [0, 2, 4].contains(missing) else { throw DERReader.otherForm }
    text += [UInt8](repeating: 0x30, count: missing)
    let seconds = try DERReader.seconds(text, yearDigitCount: yearDigitCount) { _ in true }
    return Int(clamping: Int64(seconds) &- Int64(offset))
  }

  private static var otherForm: CryptoError {
    CryptoError(.malformedDER, "a date must be a UTCTime or GeneralizedTime as RFC 5280 has it")
  }

  /// The date that digits say, from those of the year to those of the seconds.
  private static func seconds(
    _ text: some Collection<UInt8>, yearDigitCount: Int, isYear: (Int) -> Bool
  ) throws(CryptoError) -> Int {
    let digits = text.map { Int($0) &- 0x30 }
    guard digits.count == yearDigitCount &+ 10, digits.allSatisfy((0...9).contains) else { throw otherForm }
    let number = digits[..<yearDigitCount].reduce(0) { $0 &* 10 &+ $1 }
    let year = yearDigitCount == 4 ? number : number &+ (number < 50 ? 2000 : 1900)
    let rest = stride(from: yearDigitCount, to: digits.count, by: 2).map { digits[$0] &* 10 &+ digits[$0 &+ 1] }
    guard (1...12).contains(rest[0]), (1...31).contains(rest[1]), rest[2] < 24, rest[3] < 60, rest[4] < 60,
      isYear(year)
    else { throw otherForm }
    let day = day(year, rest[0], rest[1])
    // A day that the month doesn't have would be one of the next month.
    guard DERWriter.civilDate(day).day == rest[1] else {
      throw CryptoError(.malformedDER, "a date is not in the calendar")
    }
    // Where words have 32 bits, the nearest date that they can say.
    return Int(clamping: Int64(day) &* 86_400 &+ Int64(rest[2] &* 3600 &+ rest[3] &* 60 &+ rest[4]))
  }

  /// The day counted from 1970-01-01.
  private static func day(_ year: Int, _ month: Int, _ dayOfMonth: Int) -> Int {
    let shiftedYear = month > 2 ? year : year &- 1
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear &- 399) / 400
    let yearOfEra = shiftedYear &- era &* 400
    let dayOfYear = (153 &* (month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5 &+ dayOfMonth &- 1
    return era &* 146_097 &+ yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear &- 719_468
  }
}

extension DERWriter {
  /// A UTCTime for 1950 to 2049, a GeneralizedTime before and from 2050 on.
  /// - Parameter seconds: below 0000-03-01 and above 9999-12-31, which four digits can't say, the nearest date is
  ///   written.
  package mutating func time(_ seconds: Int) {
    let seconds = max(-62_162_035_200, min(253_402_300_799, Int64(seconds)))
    let second = Int((seconds % 86_400 &+ 86_400) % 86_400)
    let day = Int((seconds &- Int64(second)) / 86_400)
    let (year, month, dayOfMonth) = DERWriter.civilDate(day)
    var text: [UInt8] = []
    for number in [month, dayOfMonth, second / 3600, second / 60 % 60, second % 60] {
      text += DERWriter.digits(number, 2)
    }
    text.append(0x5A)
    if (1950..<2050).contains(year) {
      primitive(.utcTime, DERWriter.digits(year % 100, 2) + text)
    } else {
      primitive(.generalizedTime, DERWriter.digits(year, 4) + text)
    }
  }

  private static func digits(_ number: Int, _ count: Int) -> [UInt8] {
    var rest = number
    var text = [UInt8](repeating: 0, count: count)
    for index in text.indices.reversed() {
      text[index] = UInt8(truncatingIfNeeded: 0x30 &+ rest % 10)
      rest /= 10
    }
    return text
  }

  /// The date of a day counted from 1970-01-01, from 0000-03-01 on.
  fileprivate static func civilDate(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day &+ 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted &- era &* 146_097
    let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    // From 0 for March to 11 for February, which belongs to the next year as January does.
    let month = (5 &* dayOfYear &+ 2) / 153
    let year = yearOfEra &+ era &* 400 &+ month / 10
    return (year, month < 10 ? month &+ 3 : month &- 9, dayOfYear &- (153 &* month &+ 2) / 5 &+ 1)
  }
}
