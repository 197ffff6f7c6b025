import HTTPTypes
import Hummingbird
import NIOCore

/// What a route knows of a request beside the request.
package struct ProviderContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// Who is at the other end of the connection.
  package let peer: SocketAddress?
  private let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress
    channel = source.channel
  }

  /// Does what is in vain once the client has hung up; it is cancelled then.
  func whileConnected<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await body() }
    channel.closeFuture.whenComplete { _ in task.cancel() }
    return try await task.value
  }
}

extension ProviderSettings {
  /// The address that a request came from, for the audit log, and by its network for limits; see ``SourceAddress``.
  package func source(of request: Request, _ context: ProviderContext) -> String {
    if trustsForwardedAddress, let name = HTTPField.Name("X-Forwarded-For"), let forwarded = request.headers[name] {
      // The proxy appends the address that it saw; what stands before it is what the client says.
      return SourceAddress(forwarded.split(separator: ",").last.map(String.init) ?? "").text
    }
    return SourceAddress(context.peer?.ipAddress ?? "").text
  }
}
