/// A key set or metadata as it was fetched: what a later request can have confirmed instead of sent again.
struct DocumentValidator: Sendable {
  /// Where the document came from.
  let url: String
  /// Its `ETag`.
  let entityTag: String
}

/// An answer, and where it came from.
struct DocumentAnswer: Sendable {
  let url: String
  let response: HTTPResponseValue
  /// Whether the server says that the document of the validator is still the one (304), and was asked for that.
  let confirms: Bool

  /// The answer's own validator, unless it is not to be kept.
  var validator: DocumentValidator? {
    guard !CacheDirectives(response.headers).forbidsStoring else { return nil }
    return CacheDirectives.entityTag(response.headers).map { DocumentValidator(url: url, entityTag: $0) }
  }

  /// Asks for a document.
  ///
  /// - Parameter mediaTypes: which the document may have, as the field Accept lists them.
  /// - Parameter validator: of the document that is known. It counts only for the same URL.
  /// - Throws: ``RemoteKeySetFailure/invalid(_:)`` for a URL that must not be asked, and what the transport throws.
  static func get(
    _ url: String, accepting mediaTypes: String, confirming validator: DocumentValidator?, plainHTTP: PlainHTTP,
    transport: HTTPTransport
  ) async throws -> DocumentAnswer {
    guard plainHTTP.permits(url) else {
      throw RemoteKeySetFailure.invalid(JOSEError(.callerMisuse, "keys must be fetched from an https URL", name: "url"))
    }
    var headers = try HTTPHeaderFields([("Accept", mediaTypes), HTTPHeaderFields.uncoded])
    let tag = validator.flatMap { WireName($0.url) == url ? $0.entityTag : nil }
    if let tag { try headers.append("If-None-Match", tag) }
    let response = try await transport(HTTPRequestValue(method: "GET", url: url, headers: headers))
    return DocumentAnswer(url: url, response: response, confirms: response.status == 304 && tag != nil)
  }
}
