import AsyncHTTPClient
import JOSE
import NIOCore

/// An `HTTPClient` with limits: https URLs only (or plain http where allowed), no redirect, no cookie, no compressed
/// body, at most `byteLimit` octets and `timeLimit` of time.
///
/// Its connections close when its last reference goes away.
final class LimitedClient: Sendable {
  private let client: HTTPClient
  private let byteLimit: Int
  private let timeLimit: Duration
  private let plainHTTP: PlainHTTP

  /// A client.
  ///
  /// - Parameters:
  ///   - configuration: certificates, proxy, connections. Its settings for redirects and compressed bodies are ignored.
  ///   - eventLoopGroup: the event loops of the connections.
  ///   - byteLimit: the longest body of an answer, in octets.
  ///   - timeLimit: the longest time of a request, its answer's body included.
  ///   - plainHTTP: where requests may go without TLS.
  init(
    configuration: HTTPClient.Configuration, eventLoopGroup: any EventLoopGroup, byteLimit: Int, timeLimit: Duration,
    plainHTTP: PlainHTTP
  ) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    client = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
    self.byteLimit = byteLimit
    self.timeLimit = max(.milliseconds(1), min(timeLimit, .seconds(86_400)))
    self.plainHTTP = plainHTTP
  }

  deinit {
    // Shutting down twice only throws an error, which doesn't matter here.
    client.shutdown { _ in }
  }

  /// Closes the connections. Calls that are under way end, and later ones fail.
  func shutdown() async throws { try await client.shutdown() }

  /// Whether a URL is allowed. async-http-client also accepts URLs of sockets in the file system.
  func permits(_ url: String) -> Bool { plainHTTP.permits(url) }

  /// Sends a request, and reads the whole answer.
  ///
  /// - Throws: `timedOut`; `bodyTooLong`; `CancellationError`; and what async-http-client throws.
  func exchange(
    _ request: HTTPClientRequest, timedOut: any Error, bodyTooLong: any Error
  ) async throws -> (answer: HTTPClientResponse, body: [UInt8]) {
    try await Exchange.run(within: timeLimit, orThrow: timedOut) { [self] in
      do {
        // The waiting task has a limit of its own; this one releases the connection.
        let answer = try await client.execute(request, timeout: TimeAmount(timeLimit))
        var body: [UInt8] = []
        for try await part in answer.body {
          guard part.readableBytes <= byteLimit - body.count else { throw bodyTooLong }
          body += part.readableBytesView
        }
        return (answer, body)
      } catch let error as HTTPClientError where error == .deadlineExceeded {
        throw timedOut
      }
    }
  }
}
