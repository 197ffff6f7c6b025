import JOSE
import PlatformSSOKit

/// Registers Macs whose signing key Apple attests, and which it names.
struct AttestedRegistration {
  let provider: IdentityProvider
  let policy: RegistrationPolicy

  /// - Parameter admits: whether the token that came is good for this Mac.
  init(
    provider: IdentityProvider, appleRoot: String, admits: @escaping @Sendable (DeviceRegistration) async throws -> Bool
  ) throws {
    var attestation = try AttestationPolicy(
      trust: CertificateTrust(pemRoots: appleRoot, purpose: .attestation, clock: provider.clock))
    attestation.requiresDeviceIdentifiers = true
    self.provider = provider
    policy = RegistrationPolicy(attestation: attestation, admits: admits)
  }

  /// Registers the Mac, or throws what ``IdentityProvider/errorResponse(for:)`` answers.
  func register(_ request: HTTPRequestValue) async throws -> RegisteredDevice {
    try await provider.registerDevice(from: request, by: policy)
  }
}
