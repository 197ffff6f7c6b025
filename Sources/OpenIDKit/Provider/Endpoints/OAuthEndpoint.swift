import JOSE

/// What the endpoints of a provider have in common: a POST of a form by a client that proves itself.
package enum OAuthEndpoint {
  package typealias Authenticate = @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?

  /// The form of a request, in which names may occur more than once.
  static func form(of request: HTTPRequestValue) throws(OAuthErrorResponse) -> FormFields {
    guard request.hasMethod("POST"), let form = try? request.form(acceptsDuplicates: true) else {
      throw .malformed
    }
    return form
  }

  /// The client of a request.
  ///
  /// - Throws: the refusal that `authenticate` throws; `invalid_client` if there is no such client. A database that
  ///   can't be asked is not the client's fault: it comes again.
  static func client(
    of request: HTTPRequestValue, _ form: FormFields, _ authenticate: Authenticate
  ) async throws(OAuthErrorResponse) -> AuthenticatedClient {
    let client: AuthenticatedClient?
    do {
      client = try await authenticate(request, form)
    } catch let refusal as OAuthErrorResponse where refusal.code != .serverError {
      throw refusal
    } catch {
      throw .unavailable
    }
    guard let client else {
      throw OAuthErrorResponse(.invalidClient, "Client authentication failed", status: 401)
    }
    return client
  }

  /// Answers a request by a form without duplicate fields whose client is known, or with an error of RFC 6749 §5.2.
  ///
  /// - Parameter repeatable: the names that may occur more than once.
  static func respond(
    to request: HTTPRequestValue, repeatable: [WireName] = [], _ authenticate: Authenticate,
    _ answer: (FormFields, AuthenticatedClient) async throws(OpenIDError) -> HTTPResponseValue
  ) async -> HTTPResponseValue {
    do throws(OAuthErrorResponse) {
      let form = try form(of: request)
      guard form.hasUniqueNames(except: repeatable) else { throw .malformed }
      let client = try await client(of: request, form, authenticate)
      do throws(OpenIDError) {
        return try await answer(form, client)
      } catch {
        throw OAuthErrorResponse(error)
      }
    } catch {
      return error.response(to: request)
    }
  }
}
