import JOSE
import PlatformSSOKit

/// Registers Macs whose signing key Apple attests, and which it names.
struct AttestedRegistration {
  let provider: IdentityProvider
  let registry: DeviceRegistry
  let policy: AttestationPolicy

  init(provider: IdentityProvider, registry: DeviceRegistry, appleRoot: String) throws {
    var policy = try AttestationPolicy(
      trust: CertificateTrust(pemRoots: appleRoot, purpose: .attestation, clock: provider.clock))
    policy.requiresDeviceIdentifiers = true
    (self.provider, self.registry, self.policy) = (provider, registry, policy)
  }

  /// The nonce is used up, whatever comes out.
  func register(_ request: HTTPRequestValue) async throws -> RegisteredDevice {
    let (registration, attestation) = try await provider.deviceRegistration(from: request, attestedBy: policy)
    return try await registry.register(registration, id: attestation.udid)
  }
}
