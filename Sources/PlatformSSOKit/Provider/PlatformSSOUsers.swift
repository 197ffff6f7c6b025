import JOSE
import StrictJSON

/// The users of a ``PlatformSSOProvider``: whose passwords are right, and what ID tokens say of them.
///
/// An error that a method throws means that the directory can't say, and makes the Mac try later.
public protocol PlatformSSOUsers: CredentialDirectory {
  /// The user of a name, as a Mac sends it; nil for an unknown name, and for an account that may not log in. It
  /// is asked at each login, refresh and key request.
  ///
  /// - Throws: anything, if the directory can't say.
  func user(_ name: String) async throws -> PlatformSSOUser?
}

extension PlatformSSOUsers {
  /// Locked, where there is no user of the name any more: records may still have keys and tokens of one.
  ///
  /// - Throws: what ``user(_:)`` throws.
  public func accountVerdict(of userName: String, on device: RegisteredDevice) async throws -> CredentialVerdict {
    try await user(userName) == nil ? .locked : .accepted
  }
}

/// A user, as ID tokens tell of one.
public struct PlatformSSOUser: Sendable {
  /// `sub`: names this user for good, and no other; 1 to 255 printable ASCII characters.
  public var subject: String
  /// Further claims, such as those that the profile's `TokenToUserMapping` and groups name.
  public var claims: JSONObject

  /// A user with these claims.
  public init(subject: String, claims: JSONObject = [:]) { (self.subject, self.claims) = (subject, claims) }
}
