import AsyncHTTPClient
import Foundation
import JOSE
import NIOCore
import NIOPosix
import NIOSSL

/// Sends requests with async-http-client: the `HTTPTransport` that every module asks for.
///
/// ```swift
/// let transport = AsyncHTTPClientTransport()
/// let keys = RemoteKeySet(issuer: "https://idp.example.com", transport: transport.send)
/// ```
///
/// It accepts https URLs, and http ones only where they are allowed. It follows no redirect, sends and keeps no cookie,
/// accepts no compressed body, and stops reading at its limit. It doesn't retry.
///
/// Its connections close when its last reference goes away, or by ``shutdown()``.
public final class AsyncHTTPClientTransport: Sendable {
  /// Why an answer was refused. The server may have seen the request.
  public enum Failure: Error, Hashable, Sendable {
    /// The body is longer than the limit.
    case bodyTooLong
    /// The request took longer than the limit.
    case timedOut
    /// The answer has invalid header fields.
    case headersMalformed
  }

  private let client: LimitedClient

  /// A transport with its limits.
  ///
  /// - Parameters:
  ///   - configuration: certificates, proxy, connections. Its settings for redirects, compressed bodies and
  ///     reconnecting are ignored.
  ///   - eventLoopGroup: the event loops of the connections.
  ///   - byteLimit: the longest body of an answer, in octets.
  ///   - timeLimit: the longest time of a request, from a millisecond to a day.
  ///   - plainHTTP: whether requests may go to this machine, without TLS.
  public init(
    configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
    eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup, byteLimit: Int = 1 << 20,
    timeLimit: Duration = .seconds(30), plainHTTP: PlainHTTP = .refused
  ) {
    var configuration = configuration
    // Without this, an unreachable server would look like a slow one when the time is over.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = LimitedClient(
      configuration: configuration, eventLoopGroup: eventLoopGroup, byteLimit: byteLimit, timeLimit: timeLimit,
      plainHTTP: plainHTTP)
  }

  /// Closes the connections. Calls that are under way end, and later ones fail.
  ///
  /// - Throws: what async-http-client throws, for instance if it was shut down before.
  public func shutdown() async throws {
    try await client.shutdown()
  }

  /// Sends a request.
  ///
  /// - Throws: `RequestNotSent` if the request certainly did not reach the server: the URL isn't allowed, or the name
  ///   lookup, the connection or TLS failed. Any other error, ``Failure`` and cancellation included, means that the
  ///   server may have seen it.
  @Sendable public func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    guard client.permits(request.url), !Task.isCancelled else { throw RequestNotSent() }
    var message = HTTPClientRequest(url: request.url)
    message.method = .RAW(value: request.method)
    for field in request.headers.fields { message.headers.add(name: field.name, value: field.value) }
    if !request.body.isEmpty { message.body = .bytes(ByteBuffer(bytes: request.body)) }
    let (answer, body): (HTTPClientResponse, [UInt8])
    do {
      (answer, body) = try await client.exchange(
        message, timedOut: Failure.timedOut, bodyTooLong: Failure.bodyTooLong)
    } catch {
      throw Self.wasNeverSent(error) ? RequestNotSent() : error
    }
    guard let headers = try? HTTPHeaderFields(answer.headers.map { ($0.name, $0.value) }) else {
      throw Failure.headersMalformed
    }
    return HTTPResponseValue(status: Int(answer.status.code), headers: headers, body: body)
  }

  /// Failures before the first octet of the request is sent. A lost connection and a missing answer don't belong to
  /// them.
  private static func wasNeverSent(_ error: any Error) -> Bool {
    switch error {
    case let error as HTTPClientError:
      [
        .invalidURL, .emptyHost, .emptyScheme, .alreadyShutdown, .connectTimeout, .tlsHandshakeTimeout,
        .httpProxyHandshakeTimeout, .socksHandshakeTimeout, .invalidProxyResponse, .proxyAuthenticationRequired,
        .getConnectionFromPoolTimeout,
      ].contains(error)
    case is NIOConnectionError: true
    case let error as IOError: error.errnoCode == ECONNREFUSED
    case NIOSSLError.handshakeFailed: true
    case let error as NIOSSLExtraError: error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
    default: false
    }
  }
}
