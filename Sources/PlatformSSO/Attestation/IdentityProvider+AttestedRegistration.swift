import JOSE
import JOSEHTTP

extension IdentityProvider {
  /// Reads a device's registration and checks that Apple attests its signing key. The nonce in it, one of this provider's, is used up, even
  /// if something later is wrong.
  ///
  /// The registration that is returned has the attested serial number and UDID and no others: what the sender merely claims is left out, and
  /// if it contradicts the attestation, refused. Tokens in it are the caller's to check.
  /// - Parameters:
  ///   - request: the POST as it came.
  ///   - format: how it is written; of the known ones ``RegistrationFormat/standard`` and ``RegistrationFormat/keycloak`` have attestations.
  ///   - policy: whom to trust, and what must be attested.
  /// - Throws: as ``DeviceRegistration/init(from:format:signatureAlgorithms:limits:)``; ``PlatformSSOErrorCode/attestationMissing`` and
  ///   ``PlatformSSOErrorCode/claimMissing`` if there is none, or no nonce; ``PlatformSSOErrorCode/serverNonceInvalid`` and its like; and as
  ///   ``AttestationPolicy/verify(_:of:nonce:serialNumber:udid:)``.
  public func deviceRegistration(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, attestedBy policy: AttestationPolicy
  ) async throws(PlatformSSOError) -> (registration: DeviceRegistration, attestation: VerifiedAttestation) {
    var registration = try DeviceRegistration(from: request, format: format, limits: configuration.limits)
    let nonce = try await useNonce(registration.nonce, attestation: registration.attestation, of: request)
    let attestation = try policy.verify(registration.attestation, of: registration.signingKey, nonce: nonce)
    try requireSame(registration.serialNumber, attestation.serialNumber, "serialNumber")
    try requireSame(registration.udid, attestation.udid, "udid")
    registration.serialNumber = attestation.serialNumber
    registration.udid = attestation.udid
    return (registration, attestation)
  }

  /// Reads a user's registration and checks that Apple attests the key, in the device's own Secure Enclave as far as the attestation
  /// names the Mac. The nonce in it, one of this provider's, is used up, even if something later is wrong.
  ///
  /// - Parameters:
  ///   - request: the POST as it came.
  ///   - format: how it is written.
  ///   - device: the registered device that the key is to be enrolled on.
  ///   - policy: whom to trust, and what must be attested.
  /// - Throws: as ``deviceRegistration(from:format:attestedBy:)``.
  public func userRegistration(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, on device: RegisteredDevice,
    attestedBy policy: AttestationPolicy
  ) async throws(PlatformSSOError) -> (registration: UserRegistration, attestation: VerifiedAttestation) {
    let registration = try UserRegistration(from: request, format: format, limits: configuration.limits)
    let nonce = try await useNonce(registration.nonce, attestation: registration.attestation, of: request)
    let attestation = try policy.verify(registration.attestation, of: registration.userKey, nonce: nonce)
    try requireSame(device.serialNumber, attestation.serialNumber, "serialNumber")
    try requireSame(device.udid, attestation.udid, "udid")
    return (registration, attestation)
  }

  private func useNonce(
    _ nonce: String?, attestation: [[UInt8]], of request: HTTPRequestValue
  ) async throws(PlatformSSOError) -> String {
    guard !attestation.isEmpty else {
      throw PlatformSSOError(.attestationMissing, "there are no certificates", name: "attestation")
    }
    guard let nonce, !nonce.isEmpty else {
      throw PlatformSSOError(.claimMissing, "an attestation is for a nonce of the provider", name: "nonce")
    }
    let rule = configuration.clientRequestID
    let binding = rule == .boundToServerNonce ? try PostedForm.clientRequestID(request, rule: rule) : ""
    try await useServerNonce(nonce, boundTo: binding)
    return nonce
  }

  /// Two names of a Mac, where both are known, are the same.
  private func requireSame(_ known: String?, _ attested: String?, _ name: String) throws(PlatformSSOError) {
    guard let known, let attested, !known.hasSameBytes(as: attested) else { return }
    throw PlatformSSOError(.attestedIdentifierMismatch, "the attestation names another Mac", name: name)
  }
}
