import HTTPTypes
import Hummingbird

/// Adds security headers to every answer, unless its route sets them.
package struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
  let isSecure: Bool

  package func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    let fields: [(HTTPField.Name?, String)] = [
      (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"),
      (.xContentTypeOptions, "nosniff"), (HTTPField.Name("Referrer-Policy"), "no-referrer"),
      (HTTPField.Name("Cross-Origin-Opener-Policy"), "same-origin"),
      (.strictTransportSecurity, isSecure ? "max-age=31536000; includeSubDomains" : ""),
    ]
    for case (let name?, let value) in fields where !value.isEmpty && response.headers[name] == nil {
      response.headers[name] = value
    }
    return response
  }
}
