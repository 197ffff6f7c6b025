import PureCrypto

/// An HTTP request as a plain value, for any client or server to carry.
///
/// Descriptions show neither values of fields nor the body nor the query, because all of them carry credentials.
public struct HTTPRequestValue: Sendable, Equatable {
  /// The method, such as `GET` or `POST`.
  public var method: String
  /// The URL, absolute or as the server saw it.
  public var url: String
  /// The header fields.
  public var headers: HTTPHeaderFields
  /// The body; empty for none.
  public var body: [UInt8]

  /// A request made of its parts.
  public init(method: String, url: String, headers: HTTPHeaderFields = HTTPHeaderFields(), body: [UInt8] = []) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
  }

  /// A `POST` request with a form as its body. Sets `Content-Type`.
  public static func post(
    _ form: FormFields, to url: String, headers: HTTPHeaderFields = HTTPHeaderFields()
  ) -> HTTPRequestValue {
    var request = HTTPRequestValue(method: "POST", url: url, headers: headers, body: form.encoded())
    request.headers.set((name: "Content-Type", value: MediaType.form))
    return request
  }

  /// A `GET` request for JSON, or what else there is, that is not compressed.
  package static func reading(_ url: String, accepting mediaType: String = MediaType.json) -> HTTPRequestValue {
    let fields = [(name: "Accept", value: mediaType), HTTPHeaderFields.uncoded]
    return HTTPRequestValue(method: "GET", url: url, headers: HTTPHeaderFields(known: fields))
  }

  /// The fields of a form in the body.
  /// - Throws: ``ErrorCode/contentTypeInvalid`` unless there is exactly one `Content-Type` and it is
  ///   `application/x-www-form-urlencoded`, with or without parameters; otherwise as
  ///   ``FormFields/init(decoding:limits:acceptsDuplicates:)``.
  public func form(
    limits: Limits = .default, acceptsDuplicates: Bool = false
  ) throws(JOSEError) -> FormFields {
    try requireForm()
    return try FormFields(decoding: body, limits: limits, acceptsDuplicates: acceptsDuplicates)
  }

  /// The parameters of a form in the body, which a browser or an OAuth client has sent.
  /// - Throws: ``ErrorCode/contentTypeInvalid`` as ``form(limits:acceptsDuplicates:)``; otherwise as
  ///   ``FormFields/init(parameters:in:limits:)``.
  package func form(parameters: [WireName], limits: Limits = .default) throws(JOSEError) -> FormFields {
    try requireForm()
    return try FormFields(parameters: parameters, in: body, limits: limits)
  }

  /// Requires that the body is as it was written: nothing here decodes a coded one.
  ///
  /// - Throws: ``ErrorCode/contentTypeInvalid``.
  package func requireUncoded() throws(JOSEError) {
    guard !headers.isCoded else {
      throw JOSEError(.contentTypeInvalid, "the body is coded: send it without Content-Encoding")
    }
  }

  private func requireForm() throws(JOSEError) {
    let types = headers.values("Content-Type")
    guard types.count == 1, MediaType.matches(types.first, MediaType.form) else {
      throw JOSEError(.contentTypeInvalid, "the body is not declared to be a form")
    }
    try requireUncoded()
    ParseCount.note(.form)
  }

  /// The octets of the URL's query; empty if it has none.
  package var query: some Collection<UInt8> {
    url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst().prefix { $0 != UInt8(ascii: "#") }
  }

  /// Whether the method is this one. Methods are compared as bytes, so `post` is not `POST`.
  package func hasMethod(_ name: String) -> Bool { WireName(method) == name }

  /// Whether all parts are the same, byte by byte, names of header fields aside from case.
  public static func == (lhs: HTTPRequestValue, rhs: HTTPRequestValue) -> Bool {
    lhs.hasMethod(rhs.method) && WireName(lhs.url) == rhs.url && lhs.headers == rhs.headers && lhs.body == rhs.body
  }
}

extension HTTPRequestValue: Redacted {
  /// The method, the URL without query and fragment, names of fields, and the size of the body.
  public var description: String {
    let location = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    return "\(method) \(Substring(location)) \(headers) \(body.count) bytes"
  }
}
