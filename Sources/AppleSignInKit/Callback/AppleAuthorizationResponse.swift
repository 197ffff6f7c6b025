import PureCrypto

/// A successful authorization: a code, and what came with it. Its `state` was that of the browser's own sign-in.
package struct AppleAuthorizationResponse: Sendable {
  /// `code`: to be exchanged once, within 5 minutes.
  package let code: String

  /// `id_token`, if it was asked for. Not verified: give it to ``AppleIdentityTokenVerifier``.
  package let unverifiedIdentityToken: String?

  /// `user`, at the first authorization with scopes. Untrusted.
  package let user: AppleUser?
}

extension AppleAuthorizationResponse: Redacted {}

/// How an authorization ended.
package enum AppleAuthorizationOutcome: Sendable {
  /// The user agreed.
  case authorized(AppleAuthorizationResponse)
  /// The user pressed cancel: back to where they came from, without an error.
  case cancelled
}
