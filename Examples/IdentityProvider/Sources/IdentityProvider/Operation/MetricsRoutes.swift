import HTTPTypes
import Hummingbird
import NIOCore
import PureCrypto

/// The numbers of the running server, for this machine and for who has the token.
extension Provider {
  package func addMetricsRoutes(_ metrics: TextMetrics, to router: Router<ProviderContext>) {
    router.get("/metrics") { request, context in
      guard mayReadMetrics(request, context) else { throw HTTPError(.forbidden) }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text())))
    }
  }

  private func mayReadMetrics(_ request: Request, _ context: ProviderContext) -> Bool {
    if let token = settings.metricsToken, let field = request.headers[.authorization],
      ConstantTime.equal(field.utf8, "Bearer \(token)".utf8)
    {
      return true
    }
    // Behind a proxy everybody is at this machine's address.
    let isForwarded = ["X-Forwarded-For", "Forwarded"].contains { name in
      HTTPField.Name(name).map { request.headers[$0] != nil } ?? false
    }
    guard !isForwarded, let address = context.peer?.ipAddress else { return false }
    return address == "127.0.0.1" || address == "::1"
  }
}
