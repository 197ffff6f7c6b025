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
}
