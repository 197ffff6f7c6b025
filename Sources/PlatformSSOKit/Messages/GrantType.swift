/// Values of `grant_type`, both the form field's and the claim's.
///
/// They differ on purpose: the form field of a token request is always ``jwtBearer``, the claim inside says what is
/// really asked for.
enum GrantType {
  static let serverChallenge = "srv_challenge"
  static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  static let password = "password"
  static let refreshToken = "refresh_token"
  static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  /// The `subject_token_type` of web-based authentication.
  static let authorizationCodeResponse = "urn:apple:platformsso:authorization-code-response"
}

/// Values of the members of key requests and key exchange requests.
enum KeyRequestMembers {
  static let version = "1.0"
  static let keyRequest = "key_request"
  static let keyExchange = "key_exchange"
  /// The only purpose known.
  static let userUnlock = "user_unlock"
}
