import JOSE
import OpenIDKit

/// The logins of a website, at an OpenID provider.
struct SiteLogin {
  let client: OpenIDClient
  /// Where the provider says that a session has ended.
  let logouts: BackChannelLogoutEndpoint

  /// - Parameters:
  ///   - key: the site's; its public half is registered at the provider.
  ///   - transport: sends a request with the site's own HTTP client, which follows no redirect.
  ///   - endSessions: ends the site's own sessions.
  init(
    key: SigningKey, transport: @escaping HTTPTransport,
    endSessions: @escaping @Sendable (BackChannelLogout) async throws -> Void
  ) async throws {
    let issuer = "https://idp.example.com"
    client = try OpenIDClient(
      clientID: "site", redirectURI: "https://site.example.com/callback",
      provider: try await .discover(issuer, transport: transport), algorithms: [.es256],
      authentication: .privateKeyJWT(key, clientID: "site", audience: issuer), binding: .freshKey,
      transport: transport)
    logouts = BackChannelLogoutEndpoint(for: client, endSessions: endSessions)
  }

  /// A browser asks to log in: what to keep for it, and where to send it.
  func begin() async throws -> (pending: [UInt8], url: String) {
    let (pending, url) = try await client.begin()
    return (pending.serialized(), url)
  }

  /// The browser comes back, with what was kept for it. Remove that afterwards, unless `redirectInvalid` is thrown.
  func finish(_ pending: [UInt8], path: String) async throws -> OpenIDClient.Login {
    try await client.finish(.init(parsing: pending), redirect: path)
  }
}
