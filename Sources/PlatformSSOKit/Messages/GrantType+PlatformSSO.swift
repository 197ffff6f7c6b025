import JOSE

/// The form field of a token request is always ``jwtBearer``; the claim of the same name inside says what is really
/// asked for.
extension GrantType {
  /// Asks for a server nonce.
  static let serverChallenge = "srv_challenge"
  /// The `subject_token_type` of web-based authentication.
  static let authorizationCodeResponse = "urn:apple:platformsso:authorization-code-response"
}
