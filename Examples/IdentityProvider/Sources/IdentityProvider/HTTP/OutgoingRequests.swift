import AsyncHTTPClient
import JOSEAsyncHTTPClient
import JOSE
import NIOSSL

/// What the provider sends to clients by itself: to https addresses only, without following redirects, and for five
/// seconds.
struct OutgoingRequests: Sendable {
  private let transport: AsyncHTTPClientTransport

  /// - Parameter trustedRoots: a PEM file, or nil for the system's authorities.
  init(trustedRoots: String?) {
    var configuration = HTTPClient.Configuration()
    if let trustedRoots {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(trustedRoots)
      configuration.tlsConfiguration = tls
    }
    transport = AsyncHTTPClientTransport(configuration: configuration, byteLimit: 64 << 10, timeLimit: .seconds(5))
  }

  func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue { try await transport.send(request) }
}
