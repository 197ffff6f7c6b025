import PureCrypto
import JOSE

/// A request to the token endpoint.
///
/// Source: Apple, Generate and validate tokens.
public struct AppleTokenRequest: Sendable {
  /// What is exchanged.
  public enum Grant: Sendable {
    /// An authorization code. `redirectURI` is the one of the authorization request, nil for a native app, which had
    /// none.
    case authorizationCode(String, redirectURI: AppleRedirectURI?)
    /// A refresh token: a check that the user still agrees, to be made at most once a day.
    case refreshToken(String)
    /// Nothing: a token is asked for with which users of an app that changes teams are transferred.
    case userMigration
  }

  /// What is exchanged.
  public let grant: Grant
  /// Who asks.
  public let clientSecret: AppleClientSecret

  /// A request.
  public init(_ grant: Grant, clientSecret: AppleClientSecret) {
    self.grant = grant
    self.clientSecret = clientSecret
  }

  /// What to send.
  public func httpRequest(to service: AppleService = .apple) -> HTTPRequestValue {
    var fields = [("client_id", clientSecret.clientID), ("client_secret", clientSecret.value)]
    switch grant {
    case .authorizationCode(let code, let redirectURI):
      fields += [("code", code), ("grant_type", "authorization_code")]
      if let redirectURI { fields.append(("redirect_uri", redirectURI.text)) }
    case .refreshToken(let token):
      fields += [("grant_type", "refresh_token"), ("refresh_token", token)]
    case .userMigration:
      fields += [("grant_type", "client_credentials"), ("scope", "user.migration")]
    }
    return FormBody.post(fields, to: service.tokenURL)
  }
}

extension AppleTokenRequest.Grant: Redacted {}

extension AppleTokenRequest: Redacted {}
