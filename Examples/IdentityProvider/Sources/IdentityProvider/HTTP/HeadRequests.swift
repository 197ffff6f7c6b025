import HTTPTypes
import Hummingbird
import NIOCore

/// Answers HEAD as GET, whatever comes of it, without the body.
struct HeadRequests: RouterMiddleware {
  func handle(
    _ request: Request, context: ProviderContext, next: (Request, ProviderContext) async throws -> Response
  ) async throws -> Response {
    let response = try await next(request, context)
    guard request.method == .head else { return response }
    // Requests are counted when their answer has been written.
    try await response.body.write(Nowhere())
    return response.createHeadResponse()
  }

  private struct Nowhere: ResponseBodyWriter {
    mutating func write(_ buffer: ByteBuffer) async throws {}
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}
