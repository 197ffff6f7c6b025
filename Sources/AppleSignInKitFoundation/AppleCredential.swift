import Foundation
import AppleSignInKit
import JOSE

/// What an app got from the system after a sign-in with Apple, as text to be sent to its server.
///
/// The server gives it to `AppleNativeSignIn`. Nothing in it is verified.
public struct AppleCredential: Sendable, Hashable, Codable {
  /// The identity token: a JWS.
  public var identityToken: String
  /// The authorization code, good once and for five minutes.
  public var authorizationCode: String
  /// The user's name for ever, for apps of this team. Unverified: what counts is the identity token's subject.
  public var user: String
  /// The given name, at the first sign-in only.
  public var givenName: String?
  /// The family name, at the first sign-in only.
  public var familyName: String?
  /// The address, at the first sign-in only.
  public var email: String?
  /// The state of the request.
  public var state: String?

  /// A credential from the values that the system gave the app.
  public init(
    identityToken: String, authorizationCode: String, user: String, givenName: String? = nil,
    familyName: String? = nil, email: String? = nil, state: String? = nil
  ) {
    (self.identityToken, self.authorizationCode, self.user) = (identityToken, authorizationCode, user)
    (self.givenName, self.familyName, self.email, self.state) = (givenName, familyName, email, state)
  }

  /// The name and the address, cleaned; nil if none came.
  public var sharedUser: AppleUser? { AppleUser(givenName: givenName, familyName: familyName, email: email) }
}

extension AppleCredential: CustomStringConvertible, CustomReflectable {
  /// Neither user nor token.
  public var description: String { "AppleCredential(redacted)" }

  /// Shows neither user nor token to `dump` and to test failures.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AppleNativeSignIn {
  /// Verifies what an app sent, and exchanges its code: `finish(identityToken:authorizationCode:nonce:user:)` with the
  /// credential's parts.
  ///
  /// - Parameters:
  ///   - credential: from the app.
  ///   - nonce: what the server made for this sign-in; nil only if it made none.
  /// - Throws: `JOSEError`.
  public func finish(_ credential: AppleCredential, nonce: AppleNonce?) async throws(JOSEError)
    -> AppleSignIn
  {
    try await finish(
      identityToken: credential.identityToken, authorizationCode: credential.authorizationCode, nonce: nonce,
      user: credential.sharedUser)
  }
}

#if canImport(AuthenticationServices)
  import AuthenticationServices

  extension AppleCredential {
    /// The system's credential, or nil if it lacks its token or its code, or they are no text.
    public init?(_ credential: ASAuthorizationAppleIDCredential) {
      guard let token = credential.identityToken.flatMap({ String(data: $0, encoding: .utf8) }), !token.isEmpty,
        let code = credential.authorizationCode.flatMap({ String(data: $0, encoding: .utf8) }), !code.isEmpty
      else { return nil }
      self.init(
        identityToken: token, authorizationCode: code, user: credential.user,
        givenName: credential.fullName?.givenName, familyName: credential.fullName?.familyName,
        email: credential.email, state: credential.state)
    }
  }
#endif
