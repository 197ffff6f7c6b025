import Hummingbird

/// A refused request, which is answered with an error page.
struct PageRefusal: Error, HTTPResponseError {
  var status: HTTPResponse.Status = .badRequest
  var code = "invalid_request"
  var text: String
  /// The seconds until another attempt may succeed.
  var retryAfter: Int?

  func response(from request: Request, context: some RequestContext) throws -> Response {
    var response = Page.error(text, status: status, name: code)
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}
