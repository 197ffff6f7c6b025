import Hummingbird

/// A request that a page of its own answers.
struct PageRefusal: Error, HTTPResponseError {
  var status: HTTPResponse.Status = .badRequest
  var code = "invalid_request"
  var text: String
  /// In how many seconds another attempt may succeed.
  var retryAfter: Int?

  func response(from request: Request, context: some RequestContext) throws -> Response {
    var response = Page.error(text, status: status, name: code)
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }
}
