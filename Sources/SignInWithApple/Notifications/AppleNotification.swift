import JOSE
import StrictJSON

/// A server-to-server notification whose signature and claims have been verified: something happened to a user's
/// Apple Account.
///
/// Source: Apple, Processing changes for Sign in with Apple accounts.
public struct AppleNotification: Sendable, Hashable {
  /// What happened.
  public enum Event: Sendable, Hashable {
    /// Mail to the relay address is not forwarded any more: stop sending.
    case emailDisabled
    /// Mail is forwarded again. The address may have changed.
    case emailEnabled
    /// The user stopped using the app with the Apple Account: unlink, delete Apple's tokens, end sessions.
    case consentRevoked
    /// The Apple Account was deleted: as ``consentRevoked``, and erase what came from it. Apple spells it in two ways.
    case accountDeleted
    /// Something that Apple has added since.
    case other

    init(_ type: String) {
      self =
        if type.hasSameBytes(as: "email-disabled") {
          .emailDisabled
        } else if type.hasSameBytes(as: "email-enabled") {
          .emailEnabled
        } else if type.hasSameBytes(as: "consent-revoked") {
          .consentRevoked
        } else if type.hasSameBytes(as: "account-delete") || type.hasSameBytes(as: "account-deleted") {
          .accountDeleted
        } else {
          .other
        }
    }
  }

  /// What happened.
  public let event: Event
  /// `sub`: to whom.
  public let subject: String
  /// `event_time`: when.
  public let eventTime: NumericDate
  /// `email`, of events about mail.
  public let email: String?
  /// `is_private_email`, of events about mail.
  public let isPrivateEmail: Bool?
  /// `aud`: which app.
  public let audience: String
  /// `jti`: the notification's name.
  public let tokenID: String
}

extension AppleNotification: CustomStringConvertible {
  /// The event and the app. Nothing about the user.
  public var description: String { "AppleNotification(\(event), for \(audience))" }
}
