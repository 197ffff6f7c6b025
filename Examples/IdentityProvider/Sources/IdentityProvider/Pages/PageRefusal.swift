import Hummingbird

/// A request that a page of its own answers.
struct PageRefusal: Error, HTTPResponseError {
  var status: HTTPResponse.Status = .badRequest
  var code = "invalid_request"
  var text: String

  func response(from request: Request, context: some RequestContext) throws -> Response {
    Page.error(text, status: status, name: code)
  }
}
