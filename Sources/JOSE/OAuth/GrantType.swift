/// Values of `grant_type`.
///
/// Source: IANA, OAuth URI and OAuth Parameters Registries.
package enum GrantType {
  /// RFC 6749 §4.1.
  package static let authorizationCode = "authorization_code"
  /// RFC 6749 §4.3.
  package static let password = "password"
  /// RFC 6749 §4.4.
  package static let clientCredentials = "client_credentials"
  /// RFC 6749 §6.
  package static let refreshToken = "refresh_token"
  /// RFC 7523 §2.1.
  package static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  /// RFC 8693 §2.1.
  package static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  /// RFC 8628 §3.4.
  package static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}
