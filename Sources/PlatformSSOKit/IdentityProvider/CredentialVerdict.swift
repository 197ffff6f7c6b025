import JOSE

/// What a provider's store says of a credential that was right or wrong, and of the account behind it.
///
/// A Mac understands two answers: the credential is wrong, so the user is asked again, or something else is, so it
/// tries later. Which one each verdict gives is decided by ``IdentityProvider/errorResponse(for:)``.
public enum CredentialVerdict: Sendable, Hashable, CaseIterable {
  /// It is the user's, and the account is in order.
  case accepted
  /// It is not the user's, or there is no such user: `ErrorCode.passwordRejected`, 401. The Mac asks
  /// again.
  case wrong
  /// The account is locked or disabled: `ErrorCode.accountLocked`, 400. Asking again would not help.
  case locked
  /// The password has expired: `ErrorCode.passwordExpired`, 400.
  case expired
  /// The password must be changed before it is used: `ErrorCode.passwordChangeRequired`, 400.
  case mustChange

  /// The error that stands for the verdict; nil for ``accepted``.
  ///
  /// - Parameter credential: the claim that was judged.
  func error(_ credential: String) -> JOSEError? {
    switch self {
    case .accepted: nil
    case .wrong: JOSEError(.passwordRejected, "the password is wrong", name: credential)
    case .locked: JOSEError(.accountLocked, "the account is locked", name: "sub")
    case .expired: JOSEError(.passwordExpired, "the password has expired", name: credential)
    case .mustChange: JOSEError(.passwordChangeRequired, "the password must be changed", name: credential)
    }
  }
}
