import PureCrypto
import JOSE
import StrictJSON

/// A server-to-server notification whose signature and claims have been verified: something happened to a user's
/// Apple Account.
///
/// Source: Apple, Processing changes for Sign in with Apple accounts.
public struct AppleNotification: Sendable, Hashable {
  /// What happened to the account: `type` of the claim `events`.
  public enum Event: Sendable, Hashable, CustomStringConvertible {
    /// Mail to the relay address is not forwarded any more: stop sending.
    case emailDisabled
    /// Mail is forwarded again. The address may have changed.
    case emailEnabled
    /// The user stopped using the app with the Apple Account: unlink, delete Apple's tokens, end sessions. A late one
    /// is about an earlier link, see ``AppleNotificationReceiver/receive(_:linkedAt:act:)``.
    case consentRevoked
    /// The Apple Account was deleted: as ``consentRevoked``, and erase what came from it. Apple spells it in two ways.
    case accountDeleted
    /// Something that Apple has added since, under Apple's name for it.
    case other(String)

    /// The event that Apple calls so.
    init(_ type: String) {
      self =
        switch WireName(type) {
        case "email-disabled": .emailDisabled
        case "email-enabled": .emailEnabled
        case "consent-revoked": .consentRevoked
        case "account-delete", "account-deleted": .accountDeleted
        default: .other(type)
        }
    }

    /// The name of one that is known.
    private var knownName: String? {
      switch self {
      case .emailDisabled: "emailDisabled"
      case .emailEnabled: "emailEnabled"
      case .consentRevoked: "consentRevoked"
      case .accountDeleted: "accountDeleted"
      case .other: nil
      }
    }

    /// What tells it from others. Ours have no dot.
    fileprivate var identity: WireName {
      if case .other(let type) = self { "other.\(type)" } else { WireName(knownName ?? "") }
    }

    /// Compares bytes.
    public static func == (lhs: Event, rhs: Event) -> Bool { lhs.identity == rhs.identity }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    /// The event, without what Apple has sent.
    public var description: String { knownName ?? "other" }
  }

  /// What happened to the account, and so what the app has to do.
  public let event: Event
  /// `sub`: to whom.
  public let subject: String
  /// When it happened at Apple (`event_time`), to the second or to the millisecond.
  public let eventTime: NumericDate
  /// `email`, of events about mail.
  public let email: String?
  /// `is_private_email`, of events about mail.
  public let isPrivateEmail: Bool?
  /// `aud`: which app.
  public let audience: String
  /// `jti`: the notification's name.
  public let tokenID: String

  /// A notification that has been verified elsewhere, or one for the tests of a store.
  public init(
    event: Event, subject: String, eventTime: NumericDate, email: String? = nil, isPrivateEmail: Bool? = nil,
    audience: String, tokenID: String
  ) {
    (self.event, self.subject, self.eventTime) = (event, subject, eventTime)
    (self.email, self.isPrivateEmail) = (email, isPrivateEmail)
    (self.audience, self.tokenID) = (audience, tokenID)
  }
}

extension AppleNotification {
  /// What makes it the same notification: its token's name, its user and its time. Lengths first, so that nothing can
  /// be shifted.
  public var identity: [UInt8] {
    let time = String(Int64(eventTime.secondsSince1970 * 1000))
    return Array("\(tokenID.utf8.count).\(tokenID).\(subject.utf8.count).\(subject).\(time).\(event.identity)".utf8)
  }

  /// Whether the event surely happened before a date. A time in whole seconds may be any moment of its second.
  func happened(before date: NumericDate) -> Bool {
    let seconds = eventTime.secondsSince1970
    return seconds == seconds.rounded(.down) ? seconds + 1 <= date.secondsSince1970 : eventTime < date
  }

  /// What a later event overrides: the app, the user, and of what kind the event is. Mail that is switched off and mail
  /// that is switched on are one kind. Nil for an event that none overrides.
  public var topic: [UInt8]? {
    let kind: String
    switch event {
    case .emailDisabled, .emailEnabled: kind = "email"
    case .consentRevoked: kind = "consent"
    case .accountDeleted: kind = "account"
    case .other: return nil
    }
    return Array("\(audience.utf8.count).\(audience).\(subject.utf8.count).\(subject).\(kind)".utf8)
  }
}

extension AppleNotification: Redacted {}
