import Foundation
import JOSE
import StrictJSON

/// A NumericDate: seconds since 1970, written whole.
extension Date: JSONForm {
  package init(jsonForm decoder: any Decoder) throws {
    self.init(timeIntervalSince1970: try NumericDate(from: decoder).secondsSince1970)
  }

  package func encodeJSONForm(to encoder: any Encoder) throws {
    try NumericDate(saturating: timeIntervalSince1970.rounded(.down)).encode(to: encoder)
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
