import OpenIDKit

/// What a client makes of one app's tokens: it hands them over, and a session's manager keeps them.
package protocol AppTokens: Sendable {
  /// Keeps tokens in place of earlier ones.
  ///
  /// - Throws: anything; the sign-in then fails as one whose store failed.
  func save(_ tokens: TokenAnswer, subject: String) async throws

  /// Forgets the tokens.
  ///
  /// - Throws: anything; the sign-out then fails as one whose store failed.
  func clear() async throws

  /// Whether the user has signed out of this app, so that it must not sign in by itself.
  ///
  /// - Throws: anything; there is no silent sign-in then.
  func suppressesAutomaticSignIn() async throws -> Bool

  /// Remembers that beyond the end of the process.
  ///
  /// - Throws: anything; the sign-in or sign-out then fails as one whose store failed.
  func setSuppressesAutomaticSignIn(_ suppresses: Bool) async throws
}
