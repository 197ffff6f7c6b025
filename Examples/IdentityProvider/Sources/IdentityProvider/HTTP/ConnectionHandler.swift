import HummingbirdCore
import NIOCore

/// Closes a connection beyond the limits, or one whose client is too slow or has hung up.
final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPConnectionStateHandler.InboundIn

  private let limits: ConnectionLimits
  /// The source that the connection is counted for.
  private var source: SourceAddress?
  private var deadline: Scheduled<Void>?
  /// The deadline for a client that doesn't read its answer. Requests that it sends meanwhile don't extend it.
  private var readingDeadline: Scheduled<Void>?

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func channelActive(context: ChannelHandlerContext) {
    let source = SourceAddress(context.remoteAddress?.ipAddress ?? "")
    guard limits.open(from: source) else { return context.close(mode: .all, promise: nil) }
    self.source = source
    // The deadline for the first header, TLS handshake included.
    deadline = close(context, in: .seconds(10))
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      deadline?.cancel()
      deadline = close(context, in: .seconds(30))
    case .body: break
    case .end: deadline?.cancel()
    }
    context.fireChannelRead(data)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    readingDeadline?.cancel()
    if !context.channel.isWritable { readingDeadline = close(context, in: .seconds(30)) }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    readingDeadline?.cancel()
    if let source { limits.close(from: source) }
    source = nil
    context.fireChannelInactive()
  }

  /// The client has hung up, so the work for its answer can stop.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { return context.close(mode: .all, promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
  }
}
