import GRDBStores
import JOSE
import PlatformSSOKit
import PureCrypto

extension MacEndpoint {
  /// A Mac's keys. The profile's token proves that an administrator knows the Mac, an attestation that the key is in a
  /// Secure Enclave.
  func register(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: String
  ) async throws -> HTTPResponseValue {
    let format = settings.registrationFormat
    var registration: DeviceRegistration
    if let attestation {
      registration = try await provider.deviceRegistration(from: request, format: format, attestedBy: attestation)
        .registration
    } else {
      registration = try DeviceRegistration(from: request, format: format)
      // What nobody attests, nobody knows.
      (registration.serialNumber, registration.udid) = (nil, nil)
    }
    let token = Array((registration.registrationToken ?? "").utf8)
    guard ConstantTime.equal(token, Array(secrets.registrationToken.utf8)) else {
      throw Refusal(status: 403, code: "access_denied", reason: "another registration token")
    }
    let id = registration.deviceID ?? registration.udid ?? registration.signingKey.keyID.description
    if let known = try await database.devices.device(id: id, tenant: nil) {
      // Who knows the token of the profile could otherwise push another Mac out under its name.
      guard known.signingKey == registration.signingKey || registration.udid != nil, known.udid == registration.udid
      else { throw Refusal(status: 409, code: "conflict", reason: "the name is another Mac's: revoke that one first") }
    }
    let device = try await database.devices.register(registration, id: id)
    await record("device.registered", nil, device, source, detail: attestation == nil ? "token" : "attestation")
    return .json(["device_id": .string(device.id)], status: 201)
  }

  /// A user's Secure Enclave key, on a Mac where the user has logged in: the refresh token from there stands for an
  /// access token.
  func registerUser(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: String
  ) async throws -> HTTPResponseValue {
    let format = settings.registrationFormat
    let claimed = try UserRegistration(from: request, format: format)
    guard let token = claimed.accessToken, let login = try await provider.logins.login(refreshToken: token),
      try await host.account(named: login.userName) != nil
    else { throw Refusal(status: 401, code: "invalid_token", reason: "no refresh token of this provider") }
    if let attestation {
      _ = try await provider.userRegistration(from: request, format: format, on: login.device, attestedBy: attestation)
    }
    guard try await provider.logins.enroll(claimed.userKey, of: login.userName, on: login.device) else {
      throw Self.revoked
    }
    await record("device.user.enrolled", login.userName, login.device, source)
    return .json([:], status: 201)
  }
}
