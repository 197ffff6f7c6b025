import HTTPTypes
import Hummingbird

/// Cookies over plain http on this machine: Safari keeps no `Secure` cookie there. The routes' `__Host-visit` is
/// `idp-visit` in the browser, without `Secure`. Only a provider with such an issuer has this middleware.
struct LoopbackCookies: RouterMiddleware {
  func handle(
    _ request: Request, context: ProviderContext, next: (Request, ProviderContext) async throws -> Response
  ) async throws -> Response {
    var head = request.head
    head.headerFields[values: .cookie] = head.headerFields[values: .cookie].map { field -> String in
      field.split(separator: ";").map { pair -> String in
        let pair = pair.drop { $0 == " " }
        return pair.hasPrefix("idp-") ? "__Host-\(pair.dropFirst(4))" : String(pair)
      }.joined(separator: "; ")
    }
    var response = try await next(Request(head: head, body: request.body), context)
    response.headers[values: .setCookie] = response.headers[values: .setCookie].map { field -> String in
      guard field.hasPrefix("__Host-") else { return field }
      return "idp-\(field.dropFirst(7))".replacing("; Secure", with: "")
    }
    return response
  }
}
