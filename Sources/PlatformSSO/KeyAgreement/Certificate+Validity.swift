import JOSE
import PureCrypto

/// The two dates of a certificate.
///
/// Source: RFC 5280 §4.1.2.5.
extension Certificate {
  /// From when and until when a certificate is valid, both included.
  ///
  /// - Throws: ``PlatformSSOError/Code/certificateInvalid``.
  static func validity(of certificate: [UInt8]) throws(PlatformSSOError) -> ClosedRange<NumericDate> {
    var dates = certificate.withUnsafeBytes { bytes in (try? encodedDates(bytes)) ?? [] }[...]
    guard let notBefore = date(&dates), let notAfter = date(&dates), dates.isEmpty, notBefore <= notAfter else {
      throw PlatformSSOError(.certificateInvalid, "the certificate's dates are malformed", name: "certificate")
    }
    return notBefore...notAfter
  }

  /// Both dates in DER, one after the other.
  private static func encodedDates(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
    var body = try fromSignatureAlgorithm(bytes)
    // Signature algorithm, issuer.
    for _ in 0..<2 { _ = try body.read(.sequence) }
    return Array(try body.read(.sequence).bytes)
  }

  /// Cuts off a UTCTime of 13 characters or a GeneralizedTime of 15.
  private static func date(_ dates: inout ArraySlice<UInt8>) -> NumericDate? {
    let yearDigitCount = dates.starts(with: [0x17, 13]) ? 2 : dates.starts(with: [0x18, 15]) ? 4 : nil
    guard let yearDigitCount, dates.count >= yearDigitCount + 13 else { return nil }
    let text = Array(dates.dropFirst(2).prefix(yearDigitCount + 11))
    dates = dates.dropFirst(yearDigitCount + 13)
    return date(text, yearDigitCount: yearDigitCount)
  }

  /// `YYMMDDhhmmssZ`, where 50 is 1950 and 49 is 2049, or the same with four digits of the year.
  private static func date(_ text: [UInt8], yearDigitCount: Int) -> NumericDate? {
    guard text.last == 0x5A,
      text.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let digits = text.dropLast().map { Int($0) - 0x30 }
    let number = digits[..<yearDigitCount].reduce(0) { $0 * 10 + $1 }
    let year = yearDigitCount == 4 ? number : number + (number < 50 ? 2000 : 1900)
    let rest = stride(from: yearDigitCount, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
    guard (1...12).contains(rest[0]), (1...31).contains(rest[1]), rest[2] < 24, rest[3] < 60, rest[4] < 60 else {
      return nil
    }
    return NumericDate(day(year, rest[0], rest[1]) * 86_400 + rest[2] * 3600 + rest[3] * 60 + rest[4])
  }

  /// The day counted from 1970-01-01: years begin in March, so that a leap day comes last.
  private static func day(_ year: Int, _ month: Int, _ dayOfMonth: Int) -> Int {
    let shiftedYear = month > 2 ? year : year - 1
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// UTCTime to 2049, GeneralizedTime from 2050 on (RFC 5280 §4.1.2.5).
  static func time(_ date: NumericDate) -> [UInt8] {
    // 0000-03-01 to 9999-12-31 is what four digits can say.
    let seconds = max(-62_162_035_200, min(253_402_300_799, date.wholeSeconds))
    let day = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
    let second = seconds - day * 86_400
    let (year, month, dayOfMonth) = civilDate(day)
    func digits(_ value: Int, _ count: Int) -> [UInt8] {
      var rest = value
      var text: [UInt8] = []
      for _ in 0..<count {
        text.insert(UInt8(truncatingIfNeeded: 0x30 + rest % 10), at: 0)
        rest /= 10
      }
      return text
    }
    let rest =
      digits(month, 2) + digits(dayOfMonth, 2) + digits(second / 3600, 2) + digits(second / 60 % 60, 2)
      + digits(second % 60, 2) + [0x5A]
    return (1950..<2050).contains(year)
      ? element(0x17, [digits(year % 100, 2) + rest]) : element(0x18, [digits(year, 4) + rest])
  }

  /// The date of a day counted from 1970-01-01, from 0000-03-01 on: years begin in March, so that a leap day comes last.
  private static func civilDate(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
  }
}
