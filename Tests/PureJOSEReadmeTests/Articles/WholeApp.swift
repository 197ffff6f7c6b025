import JOSE
import NativeSSOKit
import OpenIDKit

/// The login of one of a vendor's apps, from the first start to the logout.
struct WholeApp {
  let session: NativeSSOSession
  let api: RequestAuthorizer

  /// - Parameters:
  ///   - discoveryDocument: fetched from the provider, or shipped with the app.
  ///   - pairs: what the vendor's apps share: a keychain access group, or a folder.
  ///   - tokens: this app's own keychain item, or its file.
  ///   - signOut: a flag in the app's preferences.
  init(
    discoveryDocument: [UInt8], fetchKeys: @escaping @Sendable (Bool) async throws -> JWKSet, pairs: some SecretStore,
    tokens: some SecretStore, signOut: SignOutMemory, clock: TokenClock = .system, send: @escaping HTTPTransport
  ) throws {
    let metadata = try OpenIDProviderMetadata(parsing: discoveryDocument, issuer: "https://op.example.com")
    var configuration = NativeSSOClientConfiguration(
      clientID: "mail", redirectURI: "com.example.mail:/cb", metadata: metadata, scopes: ["openid", "profile"],
      keys: fetchKeys, transport: send)
    configuration.clock = clock.wall
    session = try NativeSSOSession(configuration, pairs: pairs, tokens: tokens, signOut: signOut, clock: clock)
    api = RequestAuthorizer(manager: session.manager, clock: clock.wall, transport: send)
  }

  /// At the start of the app. A user who was logged in still is, and a user of another app is logged in here, too.
  func start() async -> Bool {
    (try? await session.validToken()) != nil
  }

  /// The button. Who has signed out here comes back without a password, as long as another app is logged in.
  func logIn(openBrowser: @escaping @Sendable (String) async throws -> String) async throws -> String {
    try await session.client.allowAutomaticSignIn()
    return try await session.signIn(present: openBrowser).subject
  }

  /// A call to the vendor's server: with a token, refreshed if need be, and once more if the server refuses it.
  func orders() async throws -> HTTPResponseValue {
    try await api.send(HTTPRequestValue(method: "GET", url: "https://api.example.com/orders"))
  }

  /// What the app shows: logged in, or not any more, and why.
  func states() async -> AsyncStream<TokenState> {
    await session.manager.states()
  }

  /// This app only, or all of the vendor's on this device.
  func logOut(everywhere: Bool) async throws {
    try await session.signOut(everywhere ? .everywhere : .thisApp)
  }
}
