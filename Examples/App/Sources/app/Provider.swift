import AsyncHTTPClient
import JOSE
import JOSEAsyncHTTPClient
import JOSEHTTP
import NIOSSL
import TokenRefresh

/// The provider as its clients see it: what it says of itself, its keys, and the way to it.
struct Provider: Sendable {
  let issuer: String
  /// The discovery document, as it was sent.
  let document: [UInt8]
  let keys: RemoteKeySet
  let send: OAuthTokenRefresher.Transport
  private let members: JSONObject

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// Asks for the discovery document. Keys are fetched when the first token is verified, and again when one names a new
  /// key.
  init(issuer: String, roots: String?) async throws {
    var configuration = HTTPClient.Configuration()
    if let roots {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(roots)
      configuration.tlsConfiguration = tls
    }
    let transport = AsyncHTTPClientTransport(configuration: configuration)
    let fetcher = AsyncHTTPClientKeyFetcher(configuration: configuration)
    let url = try IssuerMetadata.url(of: issuer, kind: .openID)
    let response = try await transport.send(HTTPRequestValue(method: "GET", url: url))
    guard response.status == 200 else {
      throw Missing(description: "the provider answers \(response.status) at \(url)")
    }
    self.issuer = issuer
    document = response.body
    members = try IssuerMetadata(parsing: response.body, issuer: issuer).members
    keys = RemoteKeySet(issuer: issuer, get: fetcher.get)
    send = transport.send
  }

  /// An address that the provider must have.
  func endpoint(_ name: String) throws -> String {
    guard let url = optionalEndpoint(name) else { throw Missing(description: "the provider has no \(name)") }
    return url
  }

  func optionalEndpoint(_ name: String) -> String? { members[name]?.stringValue }
}
