import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What a route knows of a request beside the request.
package struct ProviderContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// Who is at the other end of the connection.
  package let peer: SocketAddress?

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress
  }
}

extension ProviderSettings {
  /// The address that a request came from, for rate limits and the audit log.
  package func source(of request: Request, _ context: ProviderContext) -> String {
    if trustsForwardedAddress, let name = HTTPField.Name("X-Forwarded-For"), let forwarded = request.headers[name] {
      // The proxy appends the address that it saw; what stands before it is what the client says.
      return forwarded.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    }
    return context.peer?.ipAddress ?? ""
  }
}
