import Foundation
import JOSE
import StrictJSON

/// A NumericDate: seconds since 1970, written whole. What is no finite number of seconds is refused.
extension Date: JSONForm {
  package init(jsonForm decoder: any Decoder) throws {
    self.init(timeIntervalSince1970: try NumericDate(from: decoder).secondsSince1970)
  }

  package func encodeJSONForm(to encoder: any Encoder) throws {
    guard timeIntervalSince1970.isFinite else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "JSON has no infinities and no NaN."))
    }
    try NumericDate(saturating: timeIntervalSince1970.rounded(.down)).encode(to: encoder)
  }
}

/// A JSON number with the same digits. None is rounded: what `Decimal` can't hold exactly is refused, and so is NaN in
/// the other direction.
extension Decimal: JSONForm {
  package init(jsonForm decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Decimal(exactly: try container.decode(JSONNumber.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The number can't be represented exactly as Decimal.")
    }
    self = value
  }

  package func encodeJSONForm(to encoder: any Encoder) throws {
    // Digits, a point and a minus sign, in every locale.
    guard let number = try? JSONNumber(literal: description) else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "JSON has no NaN."))
    }
    try number.encode(to: encoder)
  }

  /// The value of a number; nil if it needs more than 128 bits or an exponent other than -128 to 127, which is all that
  /// there is room for.
  private init?(exactly number: JSONNumber) {
    guard let scaled = number.scaledInteger, (-128...127).contains(scaled.exponent) else { return nil }
    let high = Decimal(UInt64(truncatingIfNeeded: scaled.magnitude >> 64))
    let low = Decimal(UInt64(truncatingIfNeeded: scaled.magnitude))
    // None of these rounds: the sum has the 128 bits that it is made of.
    let significand = high * (Decimal(UInt64.max) + 1) + low
    self.init(sign: scaled.isNegative ? .minus : .plus, exponent: scaled.exponent, significand: significand)
  }
}

/// base64url without padding.
extension Data: JSONForm {
  package init(jsonForm decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let octets = try? Base64URL.decode(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The string is not base64url.")
    }
    self.init(octets)
  }

  package func encodeJSONForm(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64URL.encode(self))
  }
}

/// The text of the URL.
extension URL: JSONForm {
  package init(jsonForm decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let url = URL(string: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The string is not a URL.")
    }
    self = url
  }

  package func encodeJSONForm(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(absoluteString)
  }
}
