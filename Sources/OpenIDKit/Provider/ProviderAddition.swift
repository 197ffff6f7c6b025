import JOSE
import StrictJSON

/// What a module above this one adds to an ``OpenIDProvider``: to the tokens of logins, in the same commit, and to the
/// endpoints.
package protocol ProviderAddition: Sendable {
  /// What goes with the tokens of a login; nil for nothing.
  func addition(
    to login: AcceptedLogin, of provider: OpenIDProvider
  ) async throws(OAuthErrorResponse) -> TokenAddition?

  /// Further grants of the token endpoint.
  func grants(of provider: OpenIDProvider) -> [TokenEndpoint.Grant]

  /// Further members of the metadata; lists are joined with the provider's.
  func discoveryMembers() async throws -> JSONObject

  /// Revokes a credential of its own. False if the text isn't one.
  ///
  /// - Throws: `ErrorCode.invalidGrant` if it is none of the client's, and what the store throws.
  func revoke(_ token: String, by clientID: String, of provider: OpenIDProvider) async throws -> Bool

  /// A session has ended: revokes what gives tokens for it. Returns what is to be done once its tokens have ended.
  func endSession(
    _ id: String, _ reason: LogoutReason, of provider: OpenIDProvider
  ) async throws -> [@Sendable () async throws -> Void]
}

/// A login whose client, session and user have been found good, and that gets tokens now.
package struct AcceptedLogin: Sendable {
  package let grant: AcceptedGrant
  package let client: RegisteredClient
  package let session: AuthenticationSession
  package let now: NumericDate
}

/// What goes with a login's tokens.
package struct TokenAddition: Sendable {
  /// What tokens end with, for the family of refresh tokens.
  package var deviceSecretID: String?
  /// Members of the answer, which go with an ID token or not at all.
  package var members: JSONObject
  /// Writes what the ID token says of them.
  package var bind: @Sendable (inout IDTokenDraft, SignatureAlgorithm) throws(OAuthErrorResponse) -> Void
  /// Takes back what was stored by a commit of its own, since no client hears of it.
  package var withdraw: @Sendable () async -> Void

  package init(
    deviceSecretID: String?, members: JSONObject,
    bind: @escaping @Sendable (inout IDTokenDraft, SignatureAlgorithm) throws(OAuthErrorResponse) -> Void,
    withdraw: @escaping @Sendable () async -> Void
  ) {
    (self.deviceSecretID, self.members, self.bind, self.withdraw) = (deviceSecretID, members, bind, withdraw)
  }
}
