import JOSE
import StrictJSON

/// The registered values of `error`, so that errors can name them without repeating what a server sent.
enum AppleErrorName {
  static let all = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "access_denied", "unsupported_response_type", "server_error", "temporarily_unavailable",
    "user_cancelled_authorize",
  ]

  /// The registered name that has the same bytes as `text`, if there is one.
  static func known(_ text: String) -> String? { all.first { $0.hasSameBytes(as: text) } }
}
