import HTTPTypes
import Hummingbird
import HummingbirdCore
import InMemoryLogging
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import IdentityProvider

@Suite struct ConnectionTests {
  private static func limits(
    openFiles: Int = 4096, log: InMemoryLogHandler = InMemoryLogHandler()
  ) -> ConnectionLimits {
    ConnectionLimits(openFiles: openFiles, isBehindProxy: false, log: Logger(label: "test", factory: { _ in log }))
  }

  private static func connect(_ limits: ConnectionLimits, from address: String) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: ConnectionHandler(limits))
    try channel.connect(to: SocketAddress(ipAddress: address, port: 4000)).wait()
    return channel
  }

  private static func part(_ part: HTTPConnectionStateHandler.InboundIn, _ channel: EmbeddedChannel) throws {
    try channel.writeInbound(part)
  }

  private static let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/login")

  @Test func `one address has a bounded share of the connections, and the log reports the excess once`() throws {
    let log = InMemoryLogHandler()
    let limits = Self.limits(openFiles: 256 + 64, log: log)
    let held = try (0..<16).map { _ in try Self.connect(limits, from: "2001:db8:1:2::7") }
    #expect(held.allSatisfy(\.isActive) && log.entries.isEmpty)
    // The last 64 bits are anybody's in one household.
    for address in ["2001:db8:1:2::7", "2001:db8:1:2:ffff::1"] {
      #expect(try !Self.connect(limits, from: address).isActive, "\(address)")
    }
    #expect(log.entries.count == 1)
    #expect(try Self.connect(limits, from: "2001:db8:1:3::7").isActive)
    try held[0].close().wait()
    #expect(try Self.connect(limits, from: "2001:db8:1:2::7").isActive)
  }

  @Test func `all networks of one IPv6 prefix of 48 bits have at most half of the connections`() throws {
    let limits = Self.limits(openFiles: 256 + 64)
    let held = try (0..<32).map { try Self.connect(limits, from: "2001:db8:1:\($0)::1") }
    #expect(held.allSatisfy { $0.isActive })
    #expect(try !Self.connect(limits, from: "2001:db8:1:99::1").isActive)
    #expect(try Self.connect(limits, from: "2001:db8:2:99::1").isActive)
    try held[0].close().wait()
    #expect(try Self.connect(limits, from: "2001:db8:1:99::1").isActive)
  }

  @Test func `the number of connections stays below the limit of open files`() throws {
    let limits = Self.limits(openFiles: 256 + 64)
    let held = try (0..<80).map { try Self.connect(limits, from: "192.0.2.\($0)") }
    #expect(held.filter(\.isActive).count == 64)
  }

  @Test func `a connection without a request is closed after ten seconds`() throws {
    let channel = try Self.connect(Self.limits(), from: "192.0.2.1")
    channel.embeddedEventLoop.advanceTime(by: .seconds(9))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `a request body must arrive within thirty seconds, and processing has no time limit`() throws {
    let channel = try Self.connect(Self.limits(), from: "192.0.2.1")
    try Self.part(.head(Self.head), channel)
    try Self.part(.end(nil), channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(3600))
    #expect(channel.isActive)
    try Self.part(.head(Self.head), channel)
    for _ in 0..<29 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      try Self.part(.body(ByteBuffer(string: "a")), channel)
    }
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `a connection whose client reads no response is closed after thirty seconds`() throws {
    let channel = try Self.connect(Self.limits(), from: "192.0.2.1")
    func write(_ isWritable: Bool) {
      channel.isWritable = isWritable
      channel.pipeline.fireChannelWritabilityChanged()
    }
    try Self.part(.head(Self.head), channel)
    try Self.part(.end(nil), channel)
    write(false)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    write(true)
    channel.embeddedEventLoop.advanceTime(by: .seconds(3600))
    #expect(channel.isActive)
    write(false)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    try Self.part(.head(Self.head), channel)
    try Self.part(.end(nil), channel)
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test(.timeLimit(.minutes(60))) func `a connection is closed when it is idle after a response`() throws {
    var configuration = Self.limits().configuration
    // Hummingbird goes by the system's clock, so that the test's can't bring a whole minute.
    configuration.idleTimeout = try #require(configuration.idleTimeout).nanoseconds > 0 ? .milliseconds(1) : nil
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers(configuration.additionalChannelHandlers())
    try channel.pipeline.syncOperations.addHandler(
      HTTPConnectionStateHandler(
        idleTimeout: configuration.idleTimeout.map { .init($0) }, logger: Logger(label: "test")))
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 4000)).wait()
    try Self.part(.head(Self.head), channel)
    try Self.part(.end(nil), channel)
    try channel.writeOutbound(HTTPConnectionStateHandler.OutboundIn.head(HTTPResponse(status: .ok)))
    #expect(channel.isActive)
    try channel.writeOutbound(HTTPConnectionStateHandler.OutboundIn.end(nil))
    while channel.isActive { channel.embeddedEventLoop.advanceTime(by: .milliseconds(1)) }
  }

  @Test func `work for a client that has hung up is cancelled`() async throws {
    let channel = try await NIOAsyncTestingChannel { channel in
      try channel.pipeline.syncOperations.addHandler(ConnectionHandler(Self.limits()))
    }
    try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 4000)).get()
    let work = Task {
      let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
      try await ProviderContext(source: source).whileConnected { try await Task.sleep(for: .seconds(600)) }
    }
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    await #expect(throws: CancellationError.self) { try await work.value }
  }

  private final class Answer: Sendable {}

  @Test func `nothing of a request stays while its connection does`() async throws {
    let channel = NIOAsyncTestingChannel()
    let context = ProviderContext(
      source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test")))
    weak var kept: Answer?
    do {
      let answer = try await context.whileConnected { Answer() }
      kept = answer
    }
    #expect(kept == nil)
    try await channel.close()
  }

  @Test(.timeLimit(.minutes(60))) func `work for a request that is cancelled is cancelled`() async throws {
    let channel = NIOAsyncTestingChannel()
    let work = Task {
      let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
      try await ProviderContext(source: source).whileConnected { try await Task.sleep(for: .seconds(20)) }
    }
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
  }
}
