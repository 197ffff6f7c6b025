import AsyncHTTPClient
import JOSE
import NIOCore

/// Carries the Macs' requests to where the provider listens, which is not where its addresses say: they belong to a
/// proxy.
struct Wire: Sendable {
  /// An answer that is not the one expected.
  struct Refused: Error {
    let status: Int
  }

  private let client: HTTPClient
  private let address: String
  private let issuer: String

  init(address: String, issuer: String, connections: Int) {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    client = HTTPClient(configuration: configuration)
    (self.address, self.issuer) = (address, issuer)
  }

  func close() async throws { try await client.shutdown() }

  /// - Throws: ``Refused`` for another status, and what async-http-client throws.
  func send(_ request: HTTPRequestValue, expecting status: Int = 200) async throws -> HTTPResponseValue {
    var message = HTTPClientRequest(url: address + request.url.dropFirst(issuer.count))
    message.method = .RAW(value: request.method)
    for field in request.headers.fields { message.headers.add(name: field.name, value: field.value) }
    if !request.body.isEmpty { message.body = .bytes(ByteBuffer(bytes: request.body)) }
    let answer = try await client.execute(message, timeout: .seconds(60))
    let body = try await answer.body.collect(upTo: 1 << 20)
    guard answer.status.code == status else { throw Refused(status: Int(answer.status.code)) }
    let headers = try HTTPHeaderFields(answer.headers.map { ($0.name, $0.value) })
    return HTTPResponseValue(status: status, headers: headers, body: Array(body.readableBytesView))
  }
}
