import JOSE
import PlatformSSOKit
import PureCrypto

/// The users of a provider's configuration file.
struct ProviderFileUsers: CredentialDirectory {
  let users: [ProviderUser]

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    guard let expected = user(userName, of: device.tenant)?.password else { return .wrong }
    return ConstantTime.equal(Array(expected.utf8), Array(password.utf8)) ? .accepted : .wrong
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    user(userName, of: device.tenant) == nil ? .locked : .accepted
  }

  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) -> VerificationKey? {
    user(userName, of: device.tenant)?.smartCards.first { $0.certificate == certificates.first }?.key
  }

  /// The user of a tenant with a name. Who has no tenant is known to all.
  func user(_ name: String, of tenant: String?) -> ProviderUser? {
    users.first { $0.isCalled(name) && $0.isKnown(to: tenant) }
  }
}

extension ProviderFile {
  /// The provider as if it had run all along: its records hold what the file says, and the token or the code in a
  /// request if the file vouches for it. Nothing in the request has been verified yet.
  func recollect(_ request: HTTPRequestValue) async throws(JOSEError) -> IdentityProvider {
    try await JOSEError.askingStore { try await remembering(request) }
  }

  private func remembering(_ request: HTTPRequestValue) async throws -> IdentityProvider {
    let form = try? request.form(acceptsDuplicates: true)
    let token = (configuration.requestParameterNames + ["request"]).lazy.compactMap { form?.values($0).first }.first
    let unverified = token.flatMap { try? UnverifiedJWS(parsing: $0) }
    let claims = unverified.flatMap { try? JSONObject(parsing: $0.unverifiedPayload) } ?? [:]
    var provider = provider
    for device in devices {
      _ = try await provider.devices.save(device)
      guard let keyID = unverified?.unverifiedHeader.keyID.flatMap({ try? KeyIdentifier(parsing: $0) }),
        device.signingKey.keyID == keyID || device.otherSigningKey?.keyID == keyID
      else { continue }
      provider.tenant = device.tenant
    }
    for user in users {
      for (deviceID, key) in user.keys {
        // The file names a device by its name alone. Of two tenants' devices that have it, the first one is meant.
        guard
          let owner = devices.first(where: { $0.id.utf8.elementsEqual(deviceID.utf8) && user.isKnown(to: $0.tenant) }),
          owner.tenant.map({ Array($0.utf8) }) == provider.tenant.map({ Array($0.utf8) }),
          let device = try await provider.devices.device(id: deviceID, tenant: provider.tenant)
        else { continue }
        _ = try await provider.logins.enroll(key, of: user.name, on: device)
      }
    }
    try await keepRefreshToken(claims["refresh_token"]?.stringValue ?? "", provider)
    try await keepCode(claims, provider)
    return provider
  }

  /// A user or a device that has been struck off the file has no tokens any more.
  private func keepRefreshToken(_ token: String, _ provider: IdentityProvider) async throws {
    guard let grant = secrets.grant(token, tenant: provider.tenant),
      directory.user(grant.userName, of: provider.tenant) != nil,
      let device = try await provider.devices.device(id: grant.deviceID, tenant: provider.tenant)
    else { return }
    _ = try await provider.logins.keepRefreshToken(
      token, of: grant.userName, on: device, expiration: grant.expiration)
  }

  /// The file names its codes with their users alone: state and scope are those of the request.
  private func keepCode(_ claims: JSONObject, _ provider: IdentityProvider) async throws {
    guard let url = claims["subject_token"]?.stringValue, let callback = try? AuthorizationCallback(received: url),
      let user = (claims["sub"] ?? claims["username"])?.stringValue
        .flatMap({ directory.user($0, of: provider.tenant) })
    else { return }
    let code = Array(callback.code.utf8)
    // One after the other, so that the time says nothing about which one it was.
    let codes = user.codes + user.codes.map { secrets.code($0, tenant: provider.tenant) }
    guard codes.reduce(false, { ConstantTime.equal(Array($1.utf8), code) || $0 }) else { return }
    // A scope that can't be read is refused with the request.
    let scope = claims["scope"]?.stringValue.flatMap { try? AuthorizationScope(in: $0) }
    _ = try await provider.logins.keepAuthorizationCode(
      callback.code, of: user.name, on: nil, state: callback.state, scope: scope,
      expiration: provider.clock.now.advanced(by: 300))
  }
}
