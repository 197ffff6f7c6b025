import JOSE
import PureCrypto

extension IdentityProvider {
  /// Reads a device's registration, judges it by a policy, and registers the device. An attestation's nonce, one of
  /// this provider's, is used up, even if something later is wrong.
  ///
  /// A registration that comes again, with the keys that the device has, changes nothing: its answer was lost. If an
  /// attestation comes that the device did not have, it is checked, and from then on the device is an attested one. A
  /// name that another device has, or the same one with other keys that nothing vouches for, is refused; of two at once
  /// that want one name, one is. Where Apple attests a UDID or a serial number, that names the Mac, and not the sender.
  ///
  /// - Parameters:
  ///   - request: the POST as it came.
  ///   - format: how it is written. An attestation is in ``RegistrationFormat/standard`` and
  ///     ``RegistrationFormat/keycloak`` alone.
  ///   - policy: what a registration needs. What its closures throw is `ErrorCode.storeUnavailable`.
  /// - Throws: as ``DeviceRegistration/init(from:format:signatureAlgorithms:limits:)``; for what the policy refuses,
  ///   and as ``AttestationPolicy/verify(_:of:clientDataHash:serialNumber:udid:)``; `ErrorCode.deviceConflict`;
  ///   `ErrorCode.storeUnavailable`. ``errorResponse(for:)`` has the answer: 403 for what the policy does not
  ///   admit, 409 for a conflict and for another Mac's attestation, 400 for the rest.
  public func registerDevice(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, by policy: RegistrationPolicy
  ) async throws(JOSEError) -> RegisteredDevice {
    let registration = try DeviceRegistration(
      from: request, format: format, signatureAlgorithms: configuration.deviceSignatureAlgorithms,
      limits: configuration.limits)
    guard try await JOSEError.askingStore({ try await policy.admits(registration) }) else {
      throw JOSEError(.registrationRefused, "the provider does not expect this registration")
    }
    let keyID = registration.signingKey.keyID
    let known = try await JOSEError.askingStore { try await devices.device(signingKeyID: keyID, tenant: tenant) }
    let again = known.flatMap { device in
      let hasKeys = device.hasKeys(registration.signingKey, registration.encryptionKey)
      return hasKeys && (device.identity == .attested || device.isCalled(registration.deviceID)) ? device : nil
    }
    // What would change nothing needs no nonce, which the first one has used up.
    if let again, again.identity == .attested || policy.attestation == nil || registration.attestation.isEmpty {
      return again
    }
    var attestation: VerifiedAttestation?
    if let trusted = policy.attestation {
      do throws(JOSEError) {
        attestation = try await verify(registration, of: request, by: trusted)
      } catch {
        // That of a Mac that it doesn't name changes nothing, and its answer may have been lost.
        guard let again, error.code == .serverNonceReplayed,
          try trusted.verify(
            registration.attestation, of: registration.signingKey, clientDataHash: Self.hash(registration.nonce)
          ).name == nil
        else { throw error }
        return again
      }
    }
    if let again, attestation?.name == nil { return again }
    // A format that has no name for the Mac leaves that of its key.
    let name = registration.name(attestedBy: attestation)
    let id = name == nil ? keyID.description : nil
    do throws(JOSEError) {
      return try await devices.register(registration, id: id, tenant: tenant, attestation: attestation)
    } catch {
      guard error.code == .deviceConflict,
        let known = try await vouchedFor(
          registration, named: name ?? keyID.description, attestation: attestation, by: policy, request)
      else { throw error }
      return try await devices.register(
        registration, id: known.id, tenant: tenant, attestation: attestation, replacing: known)
    }
  }

  /// The device in a registration's way whose keys it may take the place of.
  private func vouchedFor(
    _ registration: DeviceRegistration, named name: String, attestation: VerifiedAttestation?,
    by policy: RegistrationPolicy, _ request: HTTPRequestValue
  ) async throws(JOSEError) -> RegisteredDevice? {
    let named = try await JOSEError.askingStore { try await devices.device(id: name, tenant: tenant) }
    guard let named,
      try await isVouchedFor(registration, of: named, by: policy, request, hasUsedNonce: attestation != nil)
    else { return nil }
    return named
  }

  /// Whether the registered key of a device has signed for the new ones, or an administrator allows them.
  private func isVouchedFor(
    _ registration: DeviceRegistration, of known: RegisteredDevice, by policy: RegistrationPolicy,
    _ request: HTTPRequestValue, hasUsedNonce: Bool
  ) async throws(JOSEError) -> Bool {
    let keys = [known.signingKey, known.otherSigningKey].compactMap { $0 }
    if keys.contains(where: { registration.isSigned(with: $0, limits: configuration.limits) }) {
      if !hasUsedNonce { _ = try await useNonce(registration.nonce, of: request) }
      return true
    }
    return try await JOSEError.askingStore { try await policy.approves(registration, known) }
  }

  /// Reads a user's registration and enrolls the key, on the device where the user is logged in: the refresh token from
  /// there stands for an access token. With a policy, Apple must attest the key, in the device's own Secure Enclave as
  /// far as the attestation and the registration name the Mac; its nonce, one of this provider's, is used up, even if
  /// something later is wrong.
  ///
  /// - Returns: whose key it is, and on which device.
  /// - Throws: as ``UserRegistration/init(from:format:limits:)``; `ErrorCode.refreshTokenRejected` without a current
  ///   refresh token, and for an account that may not log in what ``CredentialDirectory`` says;
  ///   `ErrorCode.deviceConflict` if the registration names another device than the token's; as
  ///   ``AttestationPolicy/verify(_:of:clientDataHash:serialNumber:udid:)``; `ErrorCode.storeUnavailable`.
  public func registerUser(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, attestedBy policy: AttestationPolicy? = nil
  ) async throws(JOSEError) -> DeviceLoginService.Login {
    let registration = try UserRegistration(from: request, format: format, limits: configuration.limits)
    let token = registration.accessToken ?? ""
    guard let login = try await JOSEError.askingStore({ try await logins.login(refreshToken: token) }) else {
      throw JOSEError(.refreshTokenRejected, "a user's key needs a current refresh token", name: "access_token")
    }
    let device = login.device
    guard device.isCalled(registration.deviceID) else {
      throw JOSEError(.deviceConflict, "the user is logged in on another device", name: "device_id")
    }
    try await requireAccount(login.userName, device: device)
    let known = try await JOSEError.askingStore { try await logins.userKey(of: login.userName, on: device) }
    // As of a device: what would change nothing needs no nonce.
    if known == registration.userKey { return login }
    if let policy { _ = try await verify(registration, of: request, on: device, by: policy) }
    guard
      try await JOSEError.askingStore({
        try await logins.enroll(registration.userKey, of: login.userName, on: device)
      })
    else { throw JOSEError(.deviceUnknown, "the device is not registered any more", name: "device_id") }
    return login
  }

  // MARK: Attestations

  /// Requires that Apple attests a registration's signing key. What the sender claims of the Mac and contradicts the
  /// attestation is refused.
  package func verify(
    _ registration: DeviceRegistration, of request: HTTPRequestValue, by policy: AttestationPolicy
  ) async throws(JOSEError) -> VerifiedAttestation {
    let hash = try await useNonce(registration.nonce, attestation: registration.attestation, of: request)
    let attestation = try policy.verify(registration.attestation, of: registration.signingKey, clientDataHash: hash)
    try attestation.requireSame(serialNumber: registration.serialNumber, udid: registration.udid)
    return attestation
  }

  /// Requires that Apple attests a user's key, in the Mac that is registered.
  package func verify(
    _ registration: UserRegistration, of request: HTTPRequestValue, on device: RegisteredDevice,
    by policy: AttestationPolicy
  ) async throws(JOSEError) -> VerifiedAttestation {
    let hash = try await useNonce(registration.nonce, attestation: registration.attestation, of: request)
    let attestation = try policy.verify(registration.attestation, of: registration.userKey, clientDataHash: hash)
    try attestation.requireSame(serialNumber: device.serialNumber, udid: device.udid)
    return attestation
  }

  /// Uses the nonce of an attestation up, and returns its hash.
  private func useNonce(
    _ nonce: String?, attestation: [[UInt8]], of request: HTTPRequestValue
  ) async throws(JOSEError) -> [UInt8] {
    guard !attestation.isEmpty else {
      throw JOSEError(.attestationMissing, "there are no certificates", name: "attestation")
    }
    return try await useNonce(nonce, of: request)
  }

  private func useNonce(_ nonce: String?, of request: HTTPRequestValue) async throws(JOSEError) -> [UInt8] {
    guard let nonce, !nonce.isEmpty else {
      throw JOSEError(.claimMissing, "an attestation or a proof needs a nonce from the provider", name: "nonce")
    }
    let rule = configuration.clientRequestID
    let binding = rule == .boundToServerNonce ? try PostedForm.clientRequestID(request, rule: rule) : ""
    try await useNonces(server: checkedServerNonce(nonce, boundTo: binding))
    return Self.hash(nonce)
  }

  /// The hash that an attestation for a nonce has.
  private static func hash(_ nonce: String?) -> [UInt8] { Array(SHA2.SHA256.hash(Array((nonce ?? "").utf8))) }
}
