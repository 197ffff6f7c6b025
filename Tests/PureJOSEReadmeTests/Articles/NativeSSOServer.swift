import JOSE
import NativeSSOKit
import OpenIDKit

/// A provider of Native SSO: what each of its token endpoint's grants is answered with.
struct NativeSSOServer {
  let provider: NativeSSOProvider
  let endpoint: TokenEndpoint

  /// - Parameters:
  ///   - codes, refreshTokens: the services of the whole provider; they share `records`.
  ///   - makeAccessToken: signs an access token for a grant.
  init(
    key: SigningKey, retiredKeys: [JWK], clients: some ClientDirectory, sessions: some SessionDirectory,
    codes: AuthorizationCodeService, refreshTokens: RefreshTokenService, records: any RecordStore,
    makeAccessToken: @escaping @Sendable (RefreshGrant) async throws -> String
  ) throws {
    let provider = NativeSSOProvider(
      issuer: "https://op.example.com", keys: try IssuerKeys(signing: key, retired: retiredKeys), clients: clients,
      sessions: sessions, tokens: refreshTokens.tokenIssuer { grant, _ in try await makeAccessToken(grant) },
      settings: SettingsResolver(try NativeSSOSettings(enabled: true)), records: records)
    self.provider = provider
    endpoint = TokenEndpoint(
      grants: [
        .authorizationCode(codes) { code, request in
          let presented = request.form.values("device_secret").first
          return try await provider.tokens(for: AcceptedGrant(code, presentedDeviceSecret: presented)).issued
        },
        .refreshToken(refreshTokens) { grant, request in
          try await provider.refreshTokens(
            of: grant, request.form, accessToken: makeAccessToken(grant.grant))
        },
        .tokenExchange { _ in provider },
      ], authenticate: clients.authenticate)
  }

  func respond(to request: HTTPRequestValue, from address: String) async -> HTTPResponseValue {
    await endpoint.respond(to: request, sourceAddress: address)
  }
}
