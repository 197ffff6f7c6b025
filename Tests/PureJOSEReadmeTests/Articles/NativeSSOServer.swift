import JOSE
import NativeSSOKit
import OpenIDKit

/// The two places where a provider takes part: after a code was accepted, and at the token exchange.
struct NativeSSOServer {
  let provider: NativeSSOProvider

  init(
    key: SigningKey, retiredKeys: [JWK], clients: some ClientDirectory, sessions: some SessionDirectory,
    tokenIssuer: some TokenIssuer, records: any RecordStore
  ) throws {
    provider = NativeSSOProvider(
      issuer: "https://op.example.com", keys: try ProviderKeys(signing: key, retired: retiredKeys), clients: clients,
      sessions: sessions, tokens: tokenIssuer, settings: SettingsResolver(try NativeSSOSettings(enabled: true)),
      records: records)
  }

  func tokens(client: String, session: String, scopes: [String], nonce: String?) async throws -> TokenResponse {
    try await provider.tokens(
      for: AcceptedGrant(.authorizationCode, clientID: client, sessionID: session, scopes: scopes, nonce: nonce))
  }

  func exchange(_ request: HTTPRequestValue, from address: String) async -> HTTPResponseValue {
    await provider.tokenExchange(request, sourceAddress: address)
  }
}
