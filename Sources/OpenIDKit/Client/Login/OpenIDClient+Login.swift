import JOSE
import PureCrypto
import StrictJSON

extension OpenIDClient {
  /// A user who is logged in, by an ID token that was verified.
  public struct Login: Sendable {
    /// `sub`: who it is, together with the provider's `issuer`.
    public let subject: String
    /// The claims of the ID token.
    public let claims: JSONObject
    /// `sid`: the provider's session, for ``BackChannelLogout/ends(subject:sessionID:)``.
    public var sessionID: String? { claims["sid"]?.stringValue }
    /// The ID token itself, for ``LogoutRequest/idTokenHint``.
    public let idToken: String
    /// The tokens as they came. ``manager`` renews them.
    public let tokens: TokenAnswer
    /// Keeps the tokens fresh.
    public let manager: TokenManager
    /// Sends requests with them.
    public let authorizer: RequestAuthorizer
    /// The private key that the tokens are bound to, if it was made for them. Keep it where they are kept.
    public let proofKey: JWK?
    let userInfoEndpoint: String?

    /// Asks the provider for claims about the user, with a token that is refreshed when it must be.
    ///
    /// - Throws: `ErrorCode.settingInvalid` if the provider has no such endpoint,
    ///   `ErrorCode.configuration` with the provider's error code as its name if it refuses,
    ///   `ErrorCode.temporarilyUnavailable` if it is at fault, too busy or not the one that answers,
    ///   `ErrorCode.answerMalformed` for an answer that is no JSON object about this user; what
    ///   ``RequestAuthorizer/send(_:)`` throws.
    ///
    /// Source: OpenID Connect Core 1.0 §5.3.
    public func userInfo() async throws -> JSONObject {
      guard let userInfoEndpoint else {
        throw OpenIDError(.settingInvalid, "the provider has no such endpoint", name: "userinfo_endpoint")
      }
      let answer = try await authorizer.send(.reading(userInfoEndpoint))
      let body = try answer.answerBody(at: authorizer.clock.now)
      // Claims about another user would come with an injected token (§5.3.4).
      guard let claims = try? JSONObject(parsing: body), claims["sub"] == .string(subject)
      else { throw OpenIDError(.answerMalformed, "the claims must be about the user of the ID token", name: "sub") }
      return claims
    }
  }
}

extension OpenIDClient.Login: Redacted {}
