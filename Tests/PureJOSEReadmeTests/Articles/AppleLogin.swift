import JOSEHTTP
import SignInWithApple

/// A website's login with Apple.
struct AppleLogin {
  let client: AppleSignInClient

  /// - Parameters:
  ///   - p8: the text of the key file from the developer account.
  ///   - transport: sends a request with the server's own HTTP client.
  init(p8: String, transport: @escaping AppleTransport) throws {
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
    switch try await client.finish(callback, handle: handle) {
    case .signedIn(let signIn): return signIn.identity
    case .cancelled: return nil
    }
  }
}
