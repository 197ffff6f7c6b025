import IdentityProvider
import JOSE
import PlatformSSOKit
import PureCrypto

extension MacEndpoint {
  /// A Mac's keys. The profile's token says that an administrator knows the Mac, an attestation that the key is in a
  /// Secure Enclave, and in which one. A Mac that lost its keys is revoked before it registers again.
  func register(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: SourceAddress
  ) async throws -> HTTPResponseValue {
    let expected = Array(secrets.registrationToken.utf8)
    let policy = RegistrationPolicy(attestation: attestation) { registration in
      ConstantTime.equal(Array((registration.registrationToken ?? "").utf8), expected)
    }
    let device = try await provider.registerDevice(from: request, format: settings.registrationFormat, by: policy)
    await record(
      "device.registered", nil, device, source, detail: device.identity == .attested ? "attestation" : "token")
    return .json(["device_id": .string(device.id)], status: 201)
  }

  /// A user's Secure Enclave key, on a Mac where the user has logged in: the refresh token from there stands for an
  /// access token.
  func registerUser(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: SourceAddress
  ) async throws -> HTTPResponseValue {
    let login = try await provider.registerUser(
      from: request, format: settings.registrationFormat, attestedBy: attestation)
    await record("device.user.enrolled", login.userName, login.device, source)
    return .json([:], status: 201)
  }
}
