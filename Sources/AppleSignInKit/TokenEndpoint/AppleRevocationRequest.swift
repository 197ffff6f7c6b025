import PureCrypto
import JOSE

/// A request to revoke a token, as on deletion of an account.
///
/// Revoking a refresh token ends the user's authorization of the app; the next sign-in is a first one again and
/// delivers the user's name. The token itself is sent; the user's `sub` is not a token.
///
/// Source: Apple, Revoke tokens; RFC 7009.
public struct AppleRevocationRequest: Sendable {
  /// What kind of token it is.
  public enum TokenType: String, Sendable, Hashable {
    /// A refresh token.
    case refreshToken = "refresh_token"
    /// An access token.
    case accessToken = "access_token"
  }

  private let token: String
  private let tokenType: TokenType?
  private let clientSecret: AppleClientSecret

  /// A request.
  public init(token: String, type: TokenType?, clientSecret: AppleClientSecret) {
    self.token = token
    self.tokenType = type
    self.clientSecret = clientSecret
  }

  /// What to send.
  public func httpRequest(to service: AppleService = .apple) -> HTTPRequestValue {
    var fields = [("client_id", clientSecret.clientID), ("client_secret", clientSecret.value), ("token", token)]
    if let tokenType { fields.append(("token_type_hint", tokenType.rawValue)) }
    return FormBody.post(fields, to: service.revocationURL)
  }

  /// Reads the answer: a token that was revoked now and one that was not valid any more look the same, and the body
  /// does not matter.
  ///
  /// - Throws: `ErrorCode.serverRefused`, `ErrorCode.serverUnavailable`.
  public static func receive(_ response: HTTPResponseValue) throws(SignInWithAppleError) {
    try AppleServerResponse.requireSuccess(response)
  }
}

extension AppleRevocationRequest: Redacted {}
