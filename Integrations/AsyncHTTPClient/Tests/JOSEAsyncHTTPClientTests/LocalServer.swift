import NIOCore
import NIOPosix
import Synchronization

/// A server on this machine that gives each connection the same octets.
final class LocalServer: Sendable {
  private let channel: any Channel
  private let counter: Counter

  /// How the octets are sent.
  enum Manner: Sendable {
    case atOnce
    /// One octet after the other, with a pause between.
    case trickling(TimeAmount)
    /// Nothing is sent.
    case silent
  }

  private init(_ channel: any Channel, _ counter: Counter) {
    self.channel = channel
    self.counter = counter
  }

  static func start(_ answer: String = "", _ manner: Manner = .atOnce) async throws -> LocalServer {
    let counter = Counter()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        counter.count.withLock { $0 += 1 }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Answering(Array(answer.utf8), manner, counter))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return LocalServer(channel, counter)
  }

  deinit {
    channel.close(promise: nil)
  }

  /// Closes the port.
  func stop() async { try? await channel.close() }

  /// How many connections there have been.
  var connectionCount: Int { counter.count.withLock { $0 } }

  /// What has come over all connections.
  var received: String { counter.received.withLock { String(decoding: $0, as: UTF8.self) } }

  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)\(path)" }
}

private final class Counter: Sendable {
  let count = Mutex(0)
  let received = Mutex<[UInt8]>([])
}

private final class Answering: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answer: [UInt8]
  private let manner: LocalServer.Manner
  private let counter: Counter
  private var began = false

  init(_ answer: [UInt8], _ manner: LocalServer.Manner, _ counter: Counter) {
    self.answer = answer
    self.manner = manner
    self.counter = counter
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    counter.received.withLock { $0 += unwrapInboundIn(data).readableBytesView }
    guard !began else { return }
    began = true
    switch manner {
    case .silent: return
    case .atOnce:
      context.write(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
      context.flush()
      context.close(promise: nil)
    case .trickling(let pause):
      send(answer[...], pause, context)
    }
  }

  private func send(_ rest: ArraySlice<UInt8>, _ pause: TimeAmount, _ context: ChannelHandlerContext) {
    guard let octet = rest.first, context.channel.isActive else { return context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [octet])), promise: nil)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: pause) {
      let (handler, context) = bound.value
      handler.send(rest.dropFirst(), pause, context)
    }
  }
}
