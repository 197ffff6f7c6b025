import JOSE
import NativeSSOKit
import OpenIDKit

func signIn(
  discoveryDocument: [UInt8], sharedStore: some SSOPairStore, ownStore: some AppTokenStore,
  fetchKeys: @escaping @Sendable (Bool) async throws -> JWKSet, send: @escaping HTTPTransport,
  openBrowser: @escaping @Sendable (String) async throws -> String
) async throws -> SignIn {
  let metadata = try OpenIDProviderMetadata(parsing: discoveryDocument, issuer: "https://op.example.com")
  let configuration = NativeSSOClientConfiguration(
    clientID: "mail", redirectURI: "com.example.mail:/cb", metadata: metadata, scopes: ["openid", "profile"],
    keys: fetchKeys, transport: send)
  let client = NativeSSOClient(configuration, store: sharedStore, appTokens: ownStore)
  return try await client.signIn(present: openBrowser)
}
