import JOSE

/// What the endpoints of a provider have in common: a POST of a form by a client that proves itself.
package enum OAuthEndpoint {
  package typealias Authenticate = @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?

  /// The names by which a client says who it is.
  static let clientNames: [WireName] = ["client_id", "client_secret", "client_assertion", "client_assertion_type"]

  /// The parameters of a request that have a value, in which names may occur more than once.
  ///
  /// - Parameter parameters: the names that the endpoint reads, ``clientNames`` among them.
  static func form(
    of request: HTTPRequestValue, _ parameters: [WireName]
  ) throws(OAuthErrorResponse) -> FormFields {
    guard request.hasMethod("POST"), let form = try? request.form(parameters: parameters) else {
      throw .malformed
    }
    return form.withValues
  }

  /// The parameters, each with a value, of a request that a browser brings: a GET with a query, or a POST of a form.
  ///
  /// - Parameter parameters: the names that the endpoint reads.
  static func parameters(
    of request: HTTPRequestValue, _ parameters: [WireName]
  ) throws(OpenIDError) -> FormFields {
    do throws(JOSEError) {
      if request.hasMethod("GET") { return try FormFields(parameters: parameters, in: request.query).withValues }
      if request.hasMethod("POST") { return try request.form(parameters: parameters).withValues }
    } catch {
      throw OpenIDError(.invalidRequest, "the parameters must be a query or a form that can be decoded")
    }
    throw OpenIDError(.invalidRequest, "the request must be a GET or POST request")
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
    } catch let refusal as OAuthErrorResponse {
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
  /// - Parameters:
  ///   - parameters: the names that the endpoint reads, ``clientNames`` among them.
  ///   - repeatable: those that may occur more than once.
  static func respond(
    to request: HTTPRequestValue, _ parameters: [WireName], repeatable: [WireName] = [], _ authenticate: Authenticate,
    _ answer: (FormFields, AuthenticatedClient) async throws(OpenIDError) -> HTTPResponseValue
  ) async -> HTTPResponseValue {
    do throws(OAuthErrorResponse) {
      let form = try form(of: request, parameters)
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
