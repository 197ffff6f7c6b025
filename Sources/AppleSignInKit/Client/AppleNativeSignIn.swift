import JOSE
import OpenIDKit
import StrictJSON

/// A server's side of Sign in with Apple in a native app: takes what the app got from the system, in one call.
///
/// ```swift
/// let apple = AppleNativeSignIn(clientID: "com.example.app", signer: signer, transport: send)
/// let signIn = try await apple.finish(identityToken: token, authorizationCode: code, nonce: nonce)
/// ```
///
/// The app sends `identityToken` and `authorizationCode` of its credential as text. The nonce is the server's: the app
/// gave its SHA-256 to the system.
public struct AppleNativeSignIn: Sendable {
  private let endpoint: AppleTokenEndpoint
  private let verifier: AppleIdentityTokenVerifier
  private let keyStore: AppleKeyStore

  /// A server's side for one app.
  ///
  /// - Parameters:
  ///   - clientID: the app's bundle identifier. Identity tokens for anything else are refused.
  ///   - signer: makes client secrets. Its service and its clock serve for everything else here too.
  ///   - transport: sends a request and returns the response, without following redirects.
  public init(clientID: String, signer: AppleClientSecretSigner, transport: @escaping HTTPTransport) {
    endpoint = AppleTokenEndpoint(clientID: clientID, signer: signer, transport: transport)
    verifier = AppleIdentityTokenVerifier(audiences: [clientID], service: signer.service, clock: signer.clock)
    keyStore = AppleKeyStore(service: signer.service, clock: signer.clock, transport: transport)
  }

  /// Verifies the identity token, exchanges the code, and verifies the identity token that comes back.
  ///
  /// - Parameters:
  ///   - identityToken: from the app's credential. It is verified before anything is asked of Apple.
  ///   - authorizationCode: from the app's credential. It is good once, for five minutes.
  ///   - nonce: what the server made for this sign-in, in the form in which the app gave it to the system, and took
  ///     from its store so that it can't be used again; nil only if the sign-in had none.
  ///   - user: what the app sent along of the user's name, which the system gives at the first sign-in only. Untrusted.
  /// - Throws: `JOSEError`, `ErrorCode.subjectMismatch` among them for a code of another
  ///   user than the token's. ``AppleTokenRecovery`` says what to do.
  public func finish(
    identityToken: String, authorizationCode: String, nonce: AppleNonce?, user: AppleUser? = nil
  ) async throws(JOSEError) -> AppleSignIn {
    guard authorizationCode.isVisibleASCII(upTo: 1024) else {
      throw JOSEError(.authorizationCodeInvalid, "the code is not visible text", name: "code")
    }
    let claimed = try await verifier.verify(
      identityToken, keysOf: keyStore, nonce: nonce, origin: .nativeApp(code: authorizationCode))
    let tokens = try await endpoint.tokens(for: .authorizationCode(authorizationCode, redirectURI: nil))
    guard let token = tokens.idToken else {
      throw JOSEError(.identityTokenMissing, "the answer has no identity token", name: "id_token")
    }
    let identity = try await verifier.verify(
      token, keysOf: keyStore, nonce: nonce,
      origin: .tokenResponse(code: authorizationCode, accessToken: tokens.accessToken))
    guard claimed.isAbout(identity.subject) else {
      throw JOSEError(.subjectMismatch, "the two identity tokens must have the same subject", name: "sub")
    }
    return AppleSignIn(identity: identity, user: user, tokens: tokens)
  }
}
