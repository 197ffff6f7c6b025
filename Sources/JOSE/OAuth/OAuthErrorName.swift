/// The registered values of `error`, so that errors can name them without repeating what a server sent.
///
/// Source: IANA, OAuth Extensions Error Registry; OpenID Connect Core 1.0 §3.1.2.6.
package enum OAuthErrorName {
  private static let all: Set<WireName> = [
    "access_denied", "account_selection_required", "authorization_pending", "consent_required", "expired_token",
    "insufficient_scope",
    "insufficient_user_authentication", "interaction_required", "invalid_client", "invalid_dpop_proof",
    "invalid_grant", "invalid_redirect_uri", "invalid_request", "invalid_request_object", "invalid_request_uri",
    "invalid_scope", "invalid_target", "invalid_token",
    "login_required", "registration_not_supported", "request_not_supported", "request_uri_not_supported",
    "server_error", "slow_down", "temporarily_unavailable", "unauthorized_client", "unmet_authentication_requirements",
    "unsupported_grant_type", "unsupported_response_type", "unsupported_token_type", "use_dpop_nonce",
  ]

  /// The registered name that has the same bytes as a text, if there is one.
  package static func registered(_ text: String) -> String? { all.contains(text) ? text : nil }
}
