import JOSE

/// What the endpoints of a provider have in common: a POST of a form by a client that proves itself.
package enum OAuthEndpoint {
  typealias Authenticate = @Sendable (HTTPRequestValue, FormFields) async throws -> OAuthRefreshEndpoint.Client?

  /// The form and the client of a request.
  ///
  /// - Parameter repeatable: the names that may occur more than once.
  static func accept(
    _ request: HTTPRequestValue, repeatable: [String] = [], _ authenticate: Authenticate
  ) async throws(OpenIDError) -> (form: FormFields, client: OAuthRefreshEndpoint.Client) {
    guard request.method.hasSameBytes(as: "POST"), let form = try? request.form(acceptsDuplicates: true),
      form.hasUniqueNames(except: repeatable)
    else {
      throw OpenIDError(.invalidRequest, "the request must be a form POST without duplicate fields")
    }
    // A database that can't be asked is not the client's fault: it comes again.
    guard let client = try await OpenIDError.asking({ try await authenticate(request, form) }) else {
      throw OpenIDError(.invalidClient, "the client is unknown")
    }
    return (form, client)
  }
}
