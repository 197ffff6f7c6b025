import AsyncHTTPClient
import JOSE
import JOSEAsyncHTTPClient
import NIOSSL
import OpenIDKit

/// What the provider says of itself, and the way to it.
struct Provider: Sendable {
  let metadata: OpenIDProviderMetadata
  let send: HTTPTransport

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// Asks for the discovery document. A provider on this machine may do without TLS.
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
