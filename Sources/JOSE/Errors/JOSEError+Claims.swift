import StrictJSON

extension JOSEError {
  /// Claims did not decode as the caller's type. The error's name is the path to the member.
  init(claims error: any Error) {
    guard let error = error as? DecodingError else {
      self.init(.claimInvalid, "the claims do not decode as the requested type")
      return
    }
    let place = error.place
    if place.isFormMissing {
      self.init(.callerMisuse, Self.formMissing, name: place.text)
    } else {
      self.init(.claimInvalid, Self.text(of: error), name: place.text.isEmpty ? nil : place.text)
    }
  }

  /// What is wrong with a claim by the type that it is decoded as.
  private static func text(of error: DecodingError) -> StaticString {
    switch error {
    case .keyNotFound:
      "the claim is absent, and the type requires it: have the issuer write it, or make the property optional"
    case .valueNotFound:
      "the claim is null, and the type requires a value: have the issuer write one, or make the property optional"
    case .typeMismatch:
      "the claim has another JSON type than the property: compare the two, as a number with text"
    default:
      "the claim's value does not fit the property, as a number that is too large: use a type that holds it"
    }
  }

  /// Claims did not encode. The error's name is the path to the member.
  init(encodingClaims error: any Error) {
    guard let place = (error as? EncodingError)?.place, !place.text.isEmpty else {
      self.init(.callerMisuse, "the claims do not encode as a JSON object")
      return
    }
    let text: StaticString =
      switch place.cause {
      case is JSONFormMissing: Self.formMissing
      case is PartsWritten: "a type calls encode(to:) of Date, URL or Decimal: encode it into a container instead"
      default: "the claim does not encode as JSON"
      }
    self.init(.callerMisuse, text, name: place.text)
  }

  private static var formMissing: StaticString {
    "Date, Data, URL and Decimal need JOSEFoundation: import it, or use NumericDate, text and JSONNumber"
  }
}
