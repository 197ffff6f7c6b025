import IdentityProvider
import PlatformSSOKit

/// What Platform SSO asks about users, for one request.
struct MacUsers: CredentialDirectory {
  let host: DeviceHost
  /// Where the request comes from, for the limits of the password check.
  let source: SourceAddress

  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    try await host.passwordVerdict(password, of: userName, source: source)
  }

  /// A user who was removed or disabled has keys and tokens in the records still.
  func accountVerdict(of userName: String, on device: RegisteredDevice) async throws -> CredentialVerdict {
    try await host.account(named: userName) == nil ? .locked : .accepted
  }
}
