import JOSE
import PureCrypto

/// A device that waits for its user, for the page that asks the user about it.
///
/// The page shows ``userCode`` again, and asks whether the device is in the user's hands; which client asks, and for
/// what; when and where that began. Refusing is as easy as agreeing: who is tricked into logging in another's device
/// sees it here or never.
///
/// Source: RFC 8628 §3.3, §5.4.
public struct PendingDevice: Sendable {
  /// What the client asks for, and which page is due, as for a browser's request: ``PendingAuthorization/id`` is the
  /// name for the form.
  public let pending: PendingAuthorization
  /// The code as the device shows it.
  public let userCode: String
  /// Where the device's request came from: the `source` of ``OpenIDProvider/respond(to:from:)``.
  public let source: String
  /// When that was.
  public let startedAt: NumericDate
}

extension PendingDevice: Redacted {}
