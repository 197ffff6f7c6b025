import JOSE
import AppleSignInKit

/// A website's login with Apple.
struct AppleLogin {
  let client: AppleSignInClient
  /// Keeps what the user shared with the browser's session, until a sign-in is finished and an account is there for it.
  let keep: @Sendable (_ user: AppleUser, _ handle: String) async throws -> Void

  /// - Parameters:
  ///   - p8: the text of the key file from the developer account.
  ///   - transport: sends a request with the server's own HTTP client.
  init(
    p8: String, keep: @escaping @Sendable (AppleUser, String) async throws -> Void,
    transport: @escaping HTTPTransport
  ) throws {
    self.keep = keep
    client = AppleSignInClient(
      clientID: "com.example.web", redirectURI: try AppleRedirectURI("https://www.example.com/apple/callback"),
      signer: try AppleClientSecretSigner(p8: p8, teamID: "TEAM123456", keyID: "ABC123DEFG"),
      transport: transport)
  }

  /// Where to send the browser. The handle goes into a cookie and comes back with the redirect.
  func begin() async throws -> AppleSignInStart {
    try await client.begin(scopes: [.name, .email])
  }

  /// Who signed in, or nil if the user cancelled.
  func finish(_ callback: HTTPRequestValue, handle: String) async throws -> AppleIdentity? {
    let outcome = try await client.finish(callback, handle: handle) { user in try await keep(user, handle) }
    switch outcome {
    case .signedIn(let signIn): return signIn.identity
    case .cancelled: return nil
    }
  }
}
