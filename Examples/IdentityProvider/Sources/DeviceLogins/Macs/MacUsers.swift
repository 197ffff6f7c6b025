import IdentityProvider
import PlatformSSOKit

/// What Platform SSO asks about users, for one request.
struct MacUsers: CredentialDirectory {
  let host: Provider
  /// Where the request comes from, for the limits of the password check.
  let source: SourceAddress

  /// The check that every login goes through. A second factor has no place in a Mac's password login: users who have
  /// one log in by the browser, or by a key.
  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    switch try await host.checkPassword(password, of: userName, from: source) {
    case .right(let user):
      guard user.username.utf8.elementsEqual(userName.utf8) else { return .wrong }
      return user.hasSecondFactor ? .locked : .accepted
    case .wrong: return .wrong
    // Who has to wait is told so: 401 would have the Mac ask for the password again at once.
    case .blocked: return .locked
    }
  }

  /// A user who was removed or disabled has keys and tokens in the records still.
  func accountVerdict(of userName: String, on device: RegisteredDevice) async throws -> CredentialVerdict {
    try await host.account(named: userName) == nil ? .locked : .accepted
  }
}

extension Provider {
  /// A user who may log in; nil for one who is not there, or disabled. Macs write the name as it stands in the account:
  /// what they hold is kept under it.
  func account(named userName: String) async throws -> User? {
    guard let user = try await users.user(named: userName), user.isEnabled,
      user.username.utf8.elementsEqual(userName.utf8)
    else { return nil }
    return user
  }
}
