import AsyncHTTPClient
import JOSE
import JOSEAsyncHTTPClient
import NIOSSL
import OpenIDKit

/// The provider's metadata, and the transport to reach it.
struct Provider: Sendable {
  let metadata: OpenIDProviderMetadata
  let send: HTTPTransport

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// Fetches the discovery document. A provider on this machine may go without TLS.
  init(issuer: String, roots: String?) async throws {
    var configuration = HTTPClient.Configuration()
    if let roots {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(roots)
      configuration.tlsConfiguration = tls
    }
    send = AsyncHTTPClientTransport(configuration: configuration, plainHTTP: .loopback).send
    metadata = try await .discover(issuer, plainHTTP: .loopback, transport: send)
  }
}
