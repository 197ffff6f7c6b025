import HTTPTypes
import Hummingbird
import NIOCore

/// Answers and counts HEAD as GET, without the body, errors included.
struct HeadRequests: RouterMiddleware {
  func handle(
    _ request: Request, context: ProviderContext, next: (Request, ProviderContext) async throws -> Response
  ) async throws -> Response {
    guard request.method == .head else { return try await next(request, context) }
    // Code that reads a request may only know GET.
    var head = request.head
    head.method = .get
    let response = try await next(Request(head: head, body: request.body), context)
    // Requests are counted when their answer has been written.
    try await response.body.write(Nowhere())
    return response.createHeadResponse()
  }

  private struct Nowhere: ResponseBodyWriter {
    mutating func write(_ buffer: ByteBuffer) async throws {}
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}
