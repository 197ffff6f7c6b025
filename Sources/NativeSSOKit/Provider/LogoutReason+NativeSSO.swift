import OpenIDKit

/// Why device secrets are revoked, beside the reasons that all logins have.
extension LogoutReason {
  /// The device secret had served as often as allowed.
  public static let useCountExceeded = LogoutReason("use_count_exceeded")
  /// The user had as many device secrets as allowed.
  public static let tooManyDeviceSecrets = LogoutReason("max_secrets_exceeded")
}
