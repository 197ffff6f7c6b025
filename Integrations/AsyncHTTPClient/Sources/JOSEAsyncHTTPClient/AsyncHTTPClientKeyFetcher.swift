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
  private let client: LimitedClient

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
    client = LimitedClient(
      configuration: configuration, eventLoopGroup: eventLoopGroup, byteLimit: byteLimit, timeLimit: timeLimit,
      takesPlainHTTP: takesPlainHTTP)
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
    guard client.takes(url) else { throw KeyFetchingError.notHTTPS }
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Accept", value: "application/json")
    let (answer, body) = try await client.exchange(
      request, timedOut: KeyFetchingError.timedOut, bodyTooLong: KeyFetchingError.bodyTooLong)
    return RemoteKeySetResponse(
      status: Int(answer.status.code), cacheControl: Self.joined(answer.headers["Cache-Control"]),
      age: answer.headers.first(name: "Age"), body: body)
  }

  /// The values of a field that may stand in several lines (RFC 9110 §5.3), or nil if there is none.
  private static func joined(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: ", ") }
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
