import JOSE
import NativeSSOKit
import OpenIDKit

func signIn(
  discoveryDocument: [UInt8], pairs: some SecretStore, tokens: some SecretStore, signOut: SignOutMemory,
  fetchKeys: @escaping @Sendable (Bool) async throws -> JWKSet, send: @escaping HTTPTransport,
  openBrowser: @escaping @Sendable (String) async throws -> String
) async throws -> NativeSSOSession {
  let metadata = try OpenIDProviderMetadata(parsing: discoveryDocument, issuer: "https://op.example.com")
  let configuration = NativeSSOClientConfiguration(
    clientID: "mail", redirectURI: "com.example.mail:/cb", metadata: metadata, scopes: ["openid", "profile"],
    keys: fetchKeys, transport: send)
  let session = try NativeSSOSession(configuration, pairs: pairs, tokens: tokens, signOut: signOut)
  _ = try await session.signIn(present: openBrowser)
  return session
}
