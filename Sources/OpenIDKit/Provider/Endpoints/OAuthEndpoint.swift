import JOSE
import StrictJSON

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
      throw OpenIDError(.invalidRequest, "not a POST of a form in which each field is unique that must be")
    }
    return (form, try await client(of: request, form, authenticate))
  }

  /// The client. A database that can't be asked is not the client's fault: it comes again.
  private static func client(
    of request: HTTPRequestValue, _ form: FormFields, _ authenticate: Authenticate
  ) async throws(OpenIDError) -> OAuthRefreshEndpoint.Client {
    let client: OAuthRefreshEndpoint.Client?
    do {
      client = try await authenticate(request, form)
    } catch let error as OpenIDError {
      throw error
    } catch {
      throw OpenIDError(.storeUnavailable, "the client could not be looked up")
    }
    guard let client else { throw OpenIDError(.invalidClient, "the client is unknown") }
    return client
  }

  /// Runs a closure of the provider's. What it throws stays inside: the client comes again.
  static func serving<Value: Sendable>(_ body: () async throws -> Value) async throws(OpenIDError) -> Value {
    do {
      return try await body()
    } catch let error as OpenIDError {
      throw error
    } catch {
      throw OpenIDError(.storeUnavailable, "a service of the provider failed")
    }
  }

  /// The answer where a store or a key can't be used now: the sender comes again.
  static let unavailable = json(503, ["error": "temporarily_unavailable"], [("Retry-After", "30")])

  /// A JSON response that no cache keeps.
  package static func json(
    _ status: Int, _ object: JSONObject?, _ more: [(String, String)] = []
  ) -> HTTPResponseValue {
    var headers = HTTPHeaderFields()
    let type = object == nil ? [] : [("Content-Type", "application/json")]
    for (name, value) in type + [("Cache-Control", "no-store"), ("Pragma", "no-cache")] + more {
      try? headers.append(name, value)
    }
    return HTTPResponseValue(status: status, headers: headers, body: object?.serialized() ?? [])
  }
}
