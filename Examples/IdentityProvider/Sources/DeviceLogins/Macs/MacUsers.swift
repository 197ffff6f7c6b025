import IdentityProvider
import PlatformSSOKit

/// Answers Platform SSO's questions about users, for one request.
struct MacUsers: CredentialDirectory {
  let host: Provider
  /// The address that sent the request, for the limits of the password check.
  let source: SourceAddress

  /// The check that every login goes through. A Mac's password login can't ask for a second factor: users who have one
  /// log in by the browser, or by a key.
  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    switch try await host.checkPassword(password, of: userName, from: source, device: "\(device.signingKey.keyID)") {
    case .right(let user):
      guard user.username.utf8.elementsEqual(userName.utf8) else { return .wrong }
      return user.hasSecondFactor ? .locked : .accepted
    case .wrong: return .wrong
    // A user who must wait is told so: after a 401 the Mac would ask for the password again at once.
    case .blocked: return .locked
    }
  }

  /// The records may still have keys and tokens of a user who was removed or disabled.
  func accountVerdict(of userName: String, on device: RegisteredDevice) async throws -> CredentialVerdict {
    try await host.account(named: userName) == nil ? .locked : .accepted
  }
}

extension Provider {
  /// A user who may log in; nil for one who doesn't exist or is disabled. Macs must write the name exactly as the
  /// account does, because the records use it as their key.
  func account(named userName: String) async throws -> User? {
    guard let user = try await users.user(named: userName), user.isEnabled,
      user.username.utf8.elementsEqual(userName.utf8)
    else { return nil }
    return user
  }
}
