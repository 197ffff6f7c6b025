import HTTPTypes
import Hummingbird
import JOSE
import NIOCore
import NIOHTTP1
import OpenIDKit

/// Turns every error into an answer: a page for people, JSON for programs. An unexpected error is logged with the
/// number that the answer shows.
struct Failures: RouterMiddleware {
  /// Whether the provider only serves browsers on this machine.
  let isLocal: Bool

  private static let programs = [
    "/.well-known", "/api", "/jwks", "/token", "/userinfo", "/par", "/device_authorization", "/introspect", "/revoke",
    "/metrics", "/ready", "/psso/register", "/psso/nonce", "/psso/token", "/psso/key", "/psso/discovery",
    "/apple/notifications",
  ]

  func handle(
    _ request: Request, context: ProviderContext, next: (Request, ProviderContext) async throws -> Response
  ) async throws -> Response {
    let isForPeople = !Self.programs.contains { (request.uri.path + "/").hasPrefix($0 + "/") }
    do {
      // The first `Host` is in the head, further ones are among the fields (RFC 9112 §3.2).
      let others = HTTPField.Name("Host").map { request.headers[values: $0].count } ?? 0
      // Health checks may omit `Host`. On a local provider, a foreign name would let an attacker's pages read its
      // answers (DNS rebinding).
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
    } catch let error as OpenIDError where isForPeople && error.code == .tooManyRequests {
      // Of a directory of clients that asks others for them.
      let wait = error.retryAfter.map { Int($0.components.seconds) } ?? 60
      return try PageRefusal(
        status: .tooManyRequests, code: "temporarily_unavailable",
        text: "The server has too much to do at the moment. Try again in a minute.", retryAfter: wait
      ).response(from: request, context: context)
    } catch let error where Storage.isUnstorable(error) {
      guard isForPeople else { return Self.json("invalid_request", .badRequest) }
      return Page.error("A field has a character that can't be kept.", status: .badRequest, name: "invalid_request")
    } catch {
      // These errors hold no values of a request. Of other errors, only the type is safe to log.
      let storage = Storage.text(of: error)
      let text = storage ?? (error is JOSEError ? "\(error)" : "\(type(of: error))")
      // A client that hung up is no error of the server.
      context.logger.log(
        level: error is CancellationError ? .debug : .error, "a request failed",
        metadata: ["error": "\(text)", "route": "\(context.endpointPath ?? "")"])
      // For instance, the disk is full or all connections to the database are in use.
      let code = (error as? OpenIDError)?.code ?? (error as? JOSEError)?.code
      let isStorage = storage != nil || code == .storeUnavailable
      let status: HTTPResponse.Status = isStorage ? .serviceUnavailable : .internalServerError
      var response =
        isForPeople
        ? Page.error(
          "Something went wrong on the server. Tell your administrator this request number: \(context.id)",
          status: status, name: "server_error")
        : Self.json("server_error", status)
      if isStorage { response.headers[.retryAfter] = "1" }
      if let name = HTTPField.Name("X-Request-Id") { response.headers[name] = context.id }
      return response
    }
  }

  private static func json(_ code: String, _ status: HTTPResponse.Status) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"error\":\"\(code)\"}")))
  }
}
