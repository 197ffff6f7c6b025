import JOSE

extension HTTPHeaderFields {
  /// Header fields of the caller's making.
  ///
  /// - Throws: `ErrorCode.callerMisuse` if one of them would break out of its line.
  static func fields(_ fields: [(String, String)]) throws(JOSEError) -> HTTPHeaderFields {
    guard let headers = try? HTTPHeaderFields(fields) else {
      throw JOSEError(.callerMisuse, "a header field has an illegal character", name: "client-request-id")
    }
    return headers
  }

  /// Header fields of values that this package made itself: no character in them is illegal.
  static func known(_ fields: [(String, String)]) -> HTTPHeaderFields {
    (try? HTTPHeaderFields(fields)) ?? HTTPHeaderFields()
  }
}

extension HTTPResponseValue {
  /// A successful response that must not be kept by anybody on the way.
  static func success(mediaType: String, body: [UInt8]) -> HTTPResponseValue {
    HTTPResponseValue(
      status: 200,
      headers: .known([
        ("Content-Type", mediaType), ("Cache-Control", "no-store, no-cache"), ("Pragma", "no-cache"),
      ]),
      body: body)
  }
}
