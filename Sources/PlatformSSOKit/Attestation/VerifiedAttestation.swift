import JOSE

/// A key's attestation that was checked. Made by ``AttestationPolicy`` only.
public struct VerifiedAttestation: Sendable {
  /// The certificates, from the key to the trusted root.
  public let chain: CertificateChain

  /// The Mac's serial number, if Apple attests it.
  public let serialNumber: String?

  /// The Mac's provisioning UDID, if Apple attests it.
  public let udid: String?

  init(chain: CertificateChain) {
    self.chain = chain
    serialNumber = Self.text(chain.extensionValue(AttestedProperty.serialNumber.identifier))
    udid = Self.text(chain.extensionValue(AttestedProperty.udid.identifier))
  }

  /// What the attestation says of the Mac as octets, as they stand in the extension. Nil if it says nothing.
  public func octets(_ property: AttestedProperty) -> [UInt8]? { chain.extensionValue(property.identifier) }

  /// What the attestation says of the Mac as text: 1 to 128 printable ASCII characters. Nil if it says nothing, or
  /// nothing of this form.
  public func text(_ property: AttestedProperty) -> String? { Self.text(octets(property)) }

  private static func text(_ value: [UInt8]?) -> String? {
    guard let value else { return nil }
    let octets = bareOctets(value)
    guard (1...128).contains(octets.count), octets.allSatisfy({ (0x20...0x7E).contains($0) }),
      octets.contains(where: { $0 != 0x20 })
    else { return nil }
    return String(decoding: octets, as: UTF8.self)
  }

  /// The value without a string type of DER around it. Known attestations have none, and no printable text is taken for
  /// one.
  static func bareOctets(_ value: [UInt8]) -> [UInt8] {
    // OCTET STRING, UTF8String, PrintableString, IA5String, with a length of one octet.
    guard value.count >= 2, [0x04, 0x0C, 0x13, 0x16].contains(value[0]), value.count - 2 < 0x80,
      Int(value[1]) == value.count - 2
    else { return value }
    return Array(value[2...])
  }
}

extension VerifiedAttestation: CustomStringConvertible {
  /// Which identifiers are attested, and not what they are.
  public var description: String {
    let names = [serialNumber.map { _ in "serialNumber" }, udid.map { _ in "udid" }].compactMap { $0 }
    return "VerifiedAttestation(\(names.joined(separator: ", ")))"
  }
}

extension IdentityProvider {
  /// Reads a device's registration and checks that Apple attests its signing key. The nonce in it, one of this
  /// provider's, is used up, even if something later is wrong.
  ///
  /// The registration that is returned has the attested serial number and UDID and no others: what the sender merely
  /// claims is left out, and if it contradicts the attestation, refused. Tokens in it are the caller's to check.
  /// - Parameters:
  ///   - request: the POST as it came.
  ///   - format: how it is written; of the known ones ``RegistrationFormat/standard`` and
  ///     ``RegistrationFormat/keycloak`` have attestations.
  ///   - policy: whom to trust, and what must be attested.
  /// - Throws: as ``DeviceRegistration/init(from:format:signatureAlgorithms:limits:)``;
  ///   `ErrorCode.attestationMissing` and `ErrorCode.claimMissing` if there is none, or no
  ///   nonce; `ErrorCode.serverNonceInvalid` and its like; and as
  ///   ``AttestationPolicy/verify(_:of:nonce:serialNumber:udid:)``.
  public func deviceRegistration(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, attestedBy policy: AttestationPolicy
  ) async throws(PlatformSSOError) -> (registration: DeviceRegistration, attestation: VerifiedAttestation) {
    var registration = try DeviceRegistration(from: request, format: format, limits: configuration.limits)
    let nonce = try await useNonce(registration.nonce, attestation: registration.attestation, of: request)
    let attestation = try policy.verify(registration.attestation, of: registration.signingKey, nonce: nonce)
    try attestation.requireSame(serialNumber: registration.serialNumber, udid: registration.udid)
    registration.serialNumber = attestation.serialNumber
    registration.udid = attestation.udid
    return (registration, attestation)
  }

  /// Reads a user's registration and checks that Apple attests the key, in the device's own Secure Enclave as far as
  /// the attestation names the Mac. The nonce in it, one of this provider's, is used up, even if something later is
  /// wrong.
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
    try attestation.requireSame(serialNumber: device.serialNumber, udid: device.udid)
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
}

extension VerifiedAttestation {
  /// Refuses an attestation that names another Mac. What isn't known, or not attested, is not compared.
  fileprivate func requireSame(serialNumber: String?, udid: String?) throws(PlatformSSOError) {
    for (known, attested, name) in [(serialNumber, self.serialNumber, "serialNumber"), (udid, self.udid, "udid")] {
      guard let known, let attested, !known.hasSameBytes(as: attested) else { continue }
      throw PlatformSSOError(.attestedIdentifierMismatch, "the attestation names another Mac", name: name)
    }
  }
}
