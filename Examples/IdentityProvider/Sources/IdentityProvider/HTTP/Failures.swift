import HTTPTypes
import Hummingbird
import JOSE
import NIOCore
import NIOHTTP1
import OpenIDKit

/// Makes an answer of whatever is thrown: a page for people, JSON for programs. What no route has foreseen has a line
/// in the log, with the number that the answer names.
struct Failures: RouterMiddleware {
  /// Whether the provider is for this machine's browsers alone.
  let isLocal: Bool

  private static let programs = [
    "/.well-known", "/api", "/jwks", "/token", "/userinfo", "/par", "/introspect", "/revoke", "/metrics", "/ready",
    "/psso/register", "/psso/nonce", "/psso/token", "/psso/key", "/psso/discovery", "/apple/notifications",
  ]

  func handle(
    _ request: Request, context: ProviderContext, next: (Request, ProviderContext) async throws -> Response
  ) async throws -> Response {
    let isForPeople = !Self.programs.contains { (request.uri.path + "/").hasPrefix($0 + "/") }
    do {
      // The first one stands in the head, others among the fields (RFC 9112 §3.2).
      let others = HTTPField.Name("Host").map { request.headers[values: $0].count } ?? 0
      // Supervisors may name none. A stranger's name for this machine would give the stranger's pages its answers.
      let isNamed = request.head.authority.map { !isLocal || PlainHTTP.loopback.permits("http://" + $0) }
      guard isNamed ?? ["/health", "/ready"].contains(request.uri.path), others == 0 else {
        throw HTTPError(.badRequest)
      }
      return try await next(request, context)
    } catch let error as HTTPParserError {
      throw error
    } catch let error as HTTPError where isForPeople {
      var page = Page.error("\(error.status.reasonPhrase).", status: error.status, name: "\(error.status.code)")
      page.headers.append(contentsOf: error.headers)
      return page
    } catch let error as any HTTPResponseError {
      return try error.response(from: request, context: context)
    } catch {
      // These hold no values of a request. Of others, only the kind is safe to write.
      let storage = Storage.text(of: error)
      let text = storage ?? (error is JOSEError ? "\(error)" : "\(type(of: error))")
      // Of who hung up, nobody has to know.
      context.logger.log(
        level: error is CancellationError ? .debug : .error, "a request could not be served",
        metadata: ["error": "\(text)", "route": "\(context.endpointPath ?? "")"])
      // The disk is full, say, or all connections to the database are in use.
      let code = (error as? OpenIDError)?.code ?? (error as? JOSEError)?.code
      let isStorage = storage != nil || code == .storeUnavailable
      let status: HTTPResponse.Status = isStorage ? .serviceUnavailable : .internalServerError
      var response =
        isForPeople
        ? Page.error(
          "Something went wrong here. Tell your administrator the number of the request: \(context.id)",
          status: status, name: "server_error")
        : Response(
          status: status, headers: [.contentType: "application/json"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"error":"server_error"}"#)))
      if isStorage { response.headers[.retryAfter] = "1" }
      if let name = HTTPField.Name("X-Request-Id") { response.headers[name] = context.id }
      return response
    }
  }
}
