import JOSE
import PlatformSSOKit
import PureCrypto

/// What a provider knows from its configuration file.
struct ProviderFileStore: IdentityProviderStore {
  let devices: [RegisteredDevice]
  let users: [ProviderUser]
  let secrets: ProviderSecrets

  func device(signingKeyID: KeyIdentifier) -> RegisteredDevice? {
    devices.first { $0.signingKey.keyID == signingKeyID || $0.otherSigningKey?.keyID == signingKeyID }
  }

  func refreshTokenGrant(_ refreshToken: String) -> RefreshTokenGrant? {
    // A user or a device that has been struck off the file has no tokens any more.
    guard let grant = secrets.grant(refreshToken), user(grant.userName) != nil,
      devices.contains(where: { $0.id.utf8.elementsEqual(grant.deviceID.utf8) })
    else { return nil }
    return grant
  }

  func isPassword(_ password: String, of userName: String, on device: RegisteredDevice) -> Bool {
    guard let expected = user(userName)?.password else { return false }
    return ConstantTime.equal(Array(expected.utf8), Array(password.utf8))
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    user(userName) == nil ? .locked : .accepted
  }

  func userKey(_ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice) -> RegisteredKey? {
    user(userName)?.keys.first { $0.key.keyID == keyID && $0.deviceID.utf8.elementsEqual(device.id.utf8) }?.key
  }

  func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) -> Bool {
    let code = Array(callback.code.utf8)
    // One after the other, so that the time says nothing about which one it was.
    return (user(userName)?.codes ?? []).reduce(false) { ConstantTime.equal(Array($1.utf8), code) || $0 }
  }

  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) -> VerificationKey? {
    user(userName)?.smartCards.first { $0.certificate == certificates.first }?.key
  }

  func user(_ name: String) -> ProviderUser? { users.first { $0.name.utf8.elementsEqual(name.utf8) } }
}
