import JOSE
import StrictJSON

/// `application/x-www-form-urlencoded` fields, each name at most once.
package struct FormBody: Sendable {
  private let fields: FormFields

  /// The value of a field.
  package subscript(_ name: String) -> String? { fields.values(name).first }

  /// Reads encoded fields.
  ///
  /// - Throws: `ErrorCode.limitExceeded`, `ErrorCode.fieldDuplicated`, `ErrorCode.malformed`.
  package static func parse(_ bytes: some Collection<UInt8>, limit: Int) throws(JOSEError) -> FormBody {
    FormBody(fields: try FormFields(decoding: bytes, limits: Limits(formByteCount: limit)))
  }

  /// Reads the form that a request posted.
  ///
  /// - Throws: as ``parse(_:limit:)``, and before that `ErrorCode.methodNotAllowed`,
  ///   `ErrorCode.contentTypeInvalid`.
  package static func posted(by request: HTTPRequestValue, limit: Int) throws(JOSEError) -> FormBody {
    try requirePost(of: request)
    return try parse(request.body, limit: limit)
  }

  /// Reads the fields of a callback, which a browser brings: what can't be read and is no parameter is left out.
  ///
  /// - Throws: as ``parse(_:limit:)``.
  static func received(_ octets: some Collection<UInt8>, limit: Int) throws(JOSEError) -> FormBody {
    let fields = try FormFields(
      parameters: AppleCallbackParameters.names, in: octets, limits: Limits(formByteCount: limit))
    guard fields.hasUniqueNames() else {
      throw JOSEError(.fieldDuplicated, "a form field occurs more than once")
    }
    return FormBody(fields: fields)
  }

  /// Requires a POST that declares a form.
  ///
  /// - Throws: `ErrorCode.methodNotAllowed`, `ErrorCode.contentTypeInvalid`.
  static func requirePost(of request: HTTPRequestValue) throws(JOSEError) {
    guard request.hasMethod("POST") else {
      throw JOSEError(.methodNotAllowed, "the message must be a POST request")
    }
    let types = request.headers.values("Content-Type")
    guard types.count == 1, MediaType.matches(types.first, MediaType.form) else {
      throw JOSEError(.contentTypeInvalid, "the body is not declared as a form", name: "Content-Type")
    }
  }

  /// A POST of fields.
  package static func post(_ fields: [(String, String)], to url: String) -> HTTPRequestValue {
    .post(
      FormFields(fields), to: url,
      headers: HTTPHeaderFields(known: [("Accept", "application/json"), ("User-Agent", "PureJOSE")]))
  }
}

/// The query of an address: parameters with `%20` for a space.
package enum URLQuery {
  package static func encode(_ parameters: [(String, String)]) -> String { FormFields(parameters).encodedAsQuery() }
}

extension String {
  /// Whether the string is 1 to `limit` visible ASCII characters, as opaque parameters must be.
  package func isVisibleASCII(upTo limit: Int) -> Bool {
    !isEmpty && utf8.count <= limit && utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
