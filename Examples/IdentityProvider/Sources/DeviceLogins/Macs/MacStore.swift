import GRDBStores
import JOSE
import PlatformSSOKit

/// What Platform SSO asks about devices, tokens and users, for one request.
struct MacStore: IdentityProviderStore {
  let devices: DeviceRegistry
  let logins: SQLiteDeviceLoginStore
  let host: DeviceHost
  /// Where the request comes from, for the limits of the password check.
  let source: String

  func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice? {
    try await devices.device(signingKeyID: signingKeyID, tenant: nil)
  }

  func refreshTokenGrant(_ refreshToken: String) async throws -> RefreshTokenGrant? {
    try await logins.refreshTokenGrant(refreshToken)
  }

  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    try await host.passwordVerdict(password, of: userName, source: source)
  }

  /// A user who was removed or disabled has keys and tokens here still.
  func accountVerdict(of userName: String, on device: RegisteredDevice) async throws -> CredentialVerdict {
    try await host.account(named: userName) == nil ? .locked : .accepted
  }

  func userKey(
    _ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice
  ) async throws -> RegisteredKey? {
    try await logins.userKey(keyID, of: userName, on: device)
  }

  func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) async throws -> Bool {
    try await logins.redeemAuthorizationCode(callback, of: userName, on: device)
  }
}
