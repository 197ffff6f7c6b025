import AppleSignInKit

/// Checks the identity token that an app got from the system and sent to its server.
struct AppleAppLogin {
  let verifier = AppleIdentityTokenVerifier(audiences: ["com.example.app"])
  let keys: AppleKeyStore

  /// - Parameter nonce: the one that the server gave the app before it asked the system.
  func identity(_ token: String, nonce: AppleNonce) async throws -> AppleIdentity {
    try verifier.verify(token, keys: try await keys.keys(for: token), nonce: nonce, origin: .nativeApp())
  }
}
