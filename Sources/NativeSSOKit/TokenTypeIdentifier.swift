import StrictJSON

/// A token type identifier of the token exchange.
///
/// Source: RFC 8693 §3, OpenID Connect Native SSO 1.0 §4.
public struct TokenTypeIdentifier: Sendable, CustomStringConvertible {
  /// The URN.
  public let description: String

  /// Any identifier. Compare with `==`, which compares bytes.
  public init(_ urn: String) { description = urn }

  /// An access token.
  public static let accessToken = TokenTypeIdentifier("urn:ietf:params:oauth:token-type:access_token")
  /// A refresh token.
  public static let refreshToken = TokenTypeIdentifier("urn:ietf:params:oauth:token-type:refresh_token")
  /// An ID token.
  public static let idToken = TokenTypeIdentifier("urn:ietf:params:oauth:token-type:id_token")
  /// An ID token, as a non-normative example of draft 07 misspelt it. Never sent.
  public static let misspelledIDToken = TokenTypeIdentifier("urn:ietf:params:oauth:token-type:id-token")
  /// A JWT.
  public static let jwt = TokenTypeIdentifier("urn:ietf:params:oauth:token-type:jwt")
  /// A SAML 1.1 assertion.
  public static let saml1 = TokenTypeIdentifier("urn:ietf:params:oauth:token-type:saml1")
  /// A SAML 2.0 assertion.
  public static let saml2 = TokenTypeIdentifier("urn:ietf:params:oauth:token-type:saml2")
  /// A device secret.
  public static let deviceSecret = TokenTypeIdentifier("urn:openid:params:token-type:device-secret")
  /// A device secret, as drafts up to 06 spelt it.
  public static let legacyDeviceSecret = TokenTypeIdentifier("urn:x-oath:params:oauth:token-type:device-secret")
}

extension TokenTypeIdentifier: Hashable {
  /// Compares bytes.
  public static func == (lhs: TokenTypeIdentifier, rhs: TokenTypeIdentifier) -> Bool {
    lhs.description.hasSameBytes(as: rhs.description)
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// A `grant_type` of the token endpoint.
public enum GrantType {
  /// RFC 8693.
  public static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  /// RFC 6749 §4.1.
  public static let authorizationCode = "authorization_code"
  /// RFC 6749 §6.
  public static let refreshToken = "refresh_token"
}
