import AsyncHTTPClient
import JOSE
import NIOCore

/// An `HTTPClient` of its own, with limits: https URLs only (or plain http as far as allowed), no redirect, no cookie,
/// no compressed body, so many octets, so many seconds.
///
/// Its connections are closed when nobody holds it any more.
final class LimitedClient: Sendable {
  private let client: HTTPClient
  private let byteLimit: Int
  private let timeLimit: Duration
  private let plainHTTP: PlainHTTP

  /// A client.
  ///
  /// - Parameters:
  ///   - configuration: certificates, proxy, connections. What it says of redirects and compressed bodies doesn't
  ///     count.
  ///   - eventLoopGroup: where the connections live.
  ///   - byteLimit: how long the body of an answer may be, in octets.
  ///   - timeLimit: how long a request may take, its answer's body included.
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
    // A client that was shut down says so, and that is all.
    client.shutdown { _ in }
  }

  /// Closes the connections. Calls that are under way end, and later ones fail.
  func shutdown() async throws { try await client.shutdown() }

  /// Whether a URL may be asked. async-http-client takes others as well, for sockets in the file system.
  func permits(_ url: String) -> Bool { plainHTTP.permits(url) }

  /// Sends a request, and takes all of the answer.
  ///
  /// - Throws: `timedOut`; `bodyTooLong`; `CancellationError`; and what async-http-client throws.
  func exchange(
    _ request: HTTPClientRequest, timedOut: any Error, bodyTooLong: any Error
  ) async throws -> (answer: HTTPClientResponse, body: [UInt8]) {
    try await Exchange.run(within: timeLimit, orThrow: timedOut) { [self] in
      do {
        // The task that waits has a limit of its own: this one lets the connection go.
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
