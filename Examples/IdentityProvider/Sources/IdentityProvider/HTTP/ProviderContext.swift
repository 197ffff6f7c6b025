import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The context of a request: what a route knows beside the request itself.
package struct ProviderContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The address at the other end of the connection.
  package let peer: SocketAddress?
  private let channel: any Channel
  /// The request's source address, which is read once, at its first use.
  fileprivate let source = Kept()

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress
    channel = source.channel
  }

  /// Runs work that is cancelled when the client hangs up, since it is useless then.
  func whileConnected<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await body() }
    onHangUp { task.cancel() }
    defer { onHangUp(nil) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// The work for each connection's client, one piece at a time. An open channel is retained, so that another can't get
/// its identifier.
private let works = Mutex<[ObjectIdentifier: (channel: any Channel, cancel: (@Sendable () -> Void)?)]>([:])

extension ProviderContext {
  /// A connection is watched once, and may bring any number of requests.
  ///
  /// - Parameter cancel: what to do when the client hangs up, or if it has; nil when the work is done.
  private func onHangUp(_ cancel: (@Sendable () -> Void)?) {
    let key = ObjectIdentifier(channel)
    guard works.withLock({ $0.updateValue((channel, cancel), forKey: key) }) == nil else { return }
    channel.closeFuture.whenComplete { _ in works.withLock { $0.removeValue(forKey: key) }?.cancel?() }
  }
}

private final class Kept: Sendable { let address = Mutex(SourceAddress?.none) }

extension ProviderSettings {
  /// The source address of a request, for the audit log and, by its network, for limits.
  package func source(of request: Request, _ context: ProviderContext) -> SourceAddress {
    context.source.address.withLock { known in
      if let known { return known }
      var written = context.peer?.ipAddress ?? ""
      if trustsForwardedAddress, let name = HTTPField.Name("X-Forwarded-For"), let forwarded = request.headers[name] {
        // The proxy appends the address that it saw; what stands before it is what the client says.
        written = forwarded.split(separator: ",").last.map(String.init) ?? ""
      }
      let address = SourceAddress(written)
      known = address
      return address
    }
  }
}
