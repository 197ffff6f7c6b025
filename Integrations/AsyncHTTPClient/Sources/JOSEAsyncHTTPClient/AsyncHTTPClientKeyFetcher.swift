import AsyncHTTPClient
import JOSE
import NIOCore

/// Asks for key sets and metadata with async-http-client.
///
/// ```swift
/// let fetcher = AsyncHTTPClientKeyFetcher()
/// let keys = RemoteKeySet(issuer: "https://idp.example.com", get: fetcher.get)
/// ```
///
/// It takes https URLs only, follows no redirect, sends and keeps no cookie, takes no compressed body, and stops reading at its limit. A call
/// ends when its time is over or its task is cancelled, whatever the connection does.
///
/// One fetcher serves any number of issuers. Its connections are closed when nobody holds it any more, or by ``shutdown()``.
public final class AsyncHTTPClientKeyFetcher: Sendable {
  private let client: HTTPClient
  private let byteLimit: Int
  private let timeLimit: Double
  private let takesPlainHTTP: Bool

  /// A fetcher with its limits.
  ///
  /// - Parameters:
  ///   - configuration: certificates, proxy, connections. What it says of redirects and compressed bodies doesn't count.
  ///   - eventLoopGroup: where the connections live.
  ///   - byteLimit: how long a body may be, in octets.
  ///   - timeLimit: how long a request may take, its body included, in seconds.
  public convenience init(
    configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
    eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup, byteLimit: Int = 1 << 20,
    timeLimit: Double = 10
  ) {
    self.init(
      configuration: configuration, eventLoopGroup: eventLoopGroup, byteLimit: byteLimit, timeLimit: timeLimit,
      takesPlainHTTP: false)
  }

  /// A fetcher that may also take http URLs, for tests with a server of their own.
  package init(
    configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
    eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup, byteLimit: Int, timeLimit: Double,
    takesPlainHTTP: Bool
  ) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    client = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
    self.byteLimit = byteLimit
    self.timeLimit = timeLimit
    self.takesPlainHTTP = takesPlainHTTP
  }

  deinit {
    // A client that was shut down says so, and that is all.
    client.shutdown { _ in }
  }

  /// Closes the connections. Calls that are under way end, and later ones fail.
  ///
  /// - Throws: what async-http-client throws, for instance if it was done before.
  public func shutdown() async throws {
    try await client.shutdown()
  }

  /// Asks for a URL.
  ///
  /// - Throws: ``KeyFetchingError`` for a URL that is not https, a body past the limit, and a request that takes too long;
  ///   `CancellationError`; and what async-http-client throws.
  @Sendable public func get(_ url: String) async throws -> RemoteKeySetResponse {
    guard Self.begins(url, with: "https://") || takesPlainHTTP && Self.begins(url, with: "http://") else {
      throw KeyFetchingError.notHTTPS
    }
    let timeLimit = Duration.seconds(max(0.001, min(timeLimit, 86_400)))
    return try await Exchange.run(within: timeLimit, orThrow: KeyFetchingError.timedOut) {
      do {
        return try await self.load(url, within: timeLimit)
      } catch let error as HTTPClientError where error == .deadlineExceeded {
        throw KeyFetchingError.timedOut
      }
    }
  }

  private func load(_ url: String, within timeLimit: Duration) async throws -> RemoteKeySetResponse {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Accept", value: "application/json")
    // The task that waits has a limit of its own: this one lets the connection go.
    let answer = try await client.execute(request, timeout: TimeAmount(timeLimit))
    var body: [UInt8] = []
    for try await part in answer.body {
      guard part.readableBytes <= byteLimit - body.count else { throw KeyFetchingError.bodyTooLong }
      body += part.readableBytesView
    }
    return RemoteKeySetResponse(
      status: Int(answer.status.code), cacheControl: Self.joined(answer.headers["Cache-Control"]),
      age: answer.headers.first(name: "Age"), body: body)
  }

  /// The values of a field that may stand in several lines (RFC 9110 §5.3), or nil if there is none.
  private static func joined(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: ", ") }

  /// Whether a URL has a scheme, in any case of letters. async-http-client takes others as well, for sockets in the file system.
  static func begins(_ url: String, with scheme: String) -> Bool {
    let start = url.utf8.prefix(scheme.utf8.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return start.elementsEqual(scheme.utf8)
  }
}

/// Why an issuer's keys or metadata were not fetched. More cases may be added.
public enum KeyFetchingError: Error, Hashable, Sendable {
  /// The URL is not https.
  case notHTTPS
  /// The body is longer than the limit.
  case bodyTooLong
  /// The request took longer than the limit.
  case timedOut
}
