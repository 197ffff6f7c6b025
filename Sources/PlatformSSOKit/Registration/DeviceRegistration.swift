import JOSE
import PureCrypto
import StrictJSON

/// What an extension sends to make a Mac's keys known: public keys, and what is to prove that they are the Mac's.
///
/// Reading one proves nothing but that each key is on its curve and that its identifier is its own. Before the device
/// is registered, check what came as proof: a token of the profile, a user's access token, or an attestation.
public struct DeviceRegistration: Sendable, Hashable {
  /// The device's name, if the format has one and it was sent.
  public var deviceID: String?
  /// The serial number that the sender claims.
  public var serialNumber: String?
  /// The UDID that the sender claims.
  public var udid: String?
  /// The key that will sign requests.
  public var signingKey: RegisteredKey
  /// The key that responses are to be encrypted for.
  public var encryptionKey: RegisteredKey
  /// The profile's `RegistrationToken`.
  public var registrationToken: String?
  /// A user's access token.
  public var accessToken: String?
  /// The provider's nonce, whose hash an attestation carries.
  public var nonce: String?
  /// Attestation certificates in DER, leaf first.
  public var attestation: [[UInt8]]
  /// What ``sign(with:nonce:)`` made: the registered key's signature for these keys.
  package var keyProof: String?
  /// How users of the Mac are to log in, if the format has it and it was sent: Keycloak's `registrationMethod`, without
  /// which its newest server takes no registration.
  public var authenticationMethod: ExtensibleSSOProfile.AuthenticationMethod?

  /// A registration of a device's own.
  public init(
    deviceID: String? = nil, serialNumber: String? = nil, udid: String? = nil, signingKey: RegisteredKey,
    encryptionKey: RegisteredKey, registrationToken: String? = nil, accessToken: String? = nil, nonce: String? = nil,
    attestation: [[UInt8]] = []
  ) {
    (self.deviceID, self.serialNumber, self.udid) = (deviceID, serialNumber, udid)
    (self.signingKey, self.encryptionKey) = (signingKey, encryptionKey)
    (self.registrationToken, self.accessToken) = (registrationToken, accessToken)
    (self.nonce, self.attestation) = (nonce, attestation)
  }

  /// A registration of a device's keys.
  ///
  /// - Throws: `ErrorCode.keyInvalid`, for which keys of a device give no cause.
  public init(
    deviceID: String? = nil, serialNumber: String? = nil, udid: String? = nil, keys: DeviceKeys,
    registrationToken: String? = nil
  ) throws(JOSEError) {
    self.init(
      deviceID: deviceID, serialNumber: serialNumber, udid: udid,
      signingKey: try RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation),
      registrationToken: registrationToken)
  }

  /// Reads a registration.
  ///
  /// - Parameters:
  ///   - request: the POST as it came.
  ///   - format: how it is written.
  ///   - signatureAlgorithms: what the signing key may be for: ES256, ES384 and Ed25519. Those but ES256 come as SPKI.
  ///   - limits: bounds on the body.
  /// - Throws: `ErrorCode.methodNotAllowed`, `ErrorCode.contentTypeInvalid`,
  ///   `ErrorCode.fieldDuplicated` for a form with a field twice, `ErrorCode.limitExceeded`,
  ///   `ErrorCode.malformed`, `ErrorCode.claimMissing` and
  ///   `ErrorCode.claimInvalid` for a body of another form, `ErrorCode.keyInvalid`, and
  ///   `ErrorCode.keyIdentifierInvalid` for an identifier that is not the key's.
  public init(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard,
    signatureAlgorithms: [SignatureAlgorithm] = [.es256], limits: Limits = .default
  ) throws(JOSEError) {
    let members = try RegistrationBody.members(request, isForm: format.isForm, limits: limits)
    let names = format.deviceNames
    signingKey = try RegistrationBody.key(
      members, names.signingKey, keyID: names.signingKeyID, signatureAlgorithms: signatureAlgorithms)
    encryptionKey = try RegistrationBody.key(members, names.encryptionKey, keyID: names.encryptionKeyID)
    guard signingKey != encryptionKey else {
      throw JOSEError(.keyInvalid, "the signing key and the decryption key must differ", name: names.encryptionKey)
    }
    deviceID = try names.deviceID.flatMap { name throws(JOSEError) in try RegistrationBody.name(members, name) }
    registrationToken = try names.registrationToken.flatMap { name throws(JOSEError) in
      try members.string(ifPresent: name)
    }
    accessToken = try names.accessToken.flatMap { name throws(JOSEError) in try members.string(ifPresent: name) }
    serialNumber = try RegistrationBody.name(members, "serial_number")
    udid = try RegistrationBody.name(members, "udid")
    if format == .standard { keyProof = try members.string(ifPresent: "key_proof") }
    nonce = try members.string(ifPresent: "nonce")
    attestation = try RegistrationBody.attestation(members)
    if let name = names.authenticationMethod, let text = try members.string(ifPresent: name) {
      guard let method = format.authenticationMethod(text) else { throw members.invalid(name) }
      authenticationMethod = method
    }
  }

  /// The registration as a request, in one of the formats.
  ///
  /// - Parameters:
  ///   - url: the registration endpoint's.
  ///   - format: whose names and key forms the body has.
  ///   - clientRequestID: the one of the request that ``nonce`` came from, for providers that bind nonces to it, as
  ///     Keycloak does.
  /// - Throws: `ErrorCode.keyMismatch` if a key has no form that the format can hold: the encryption key is on P-256,
  ///   and so is the signing key where the format has points alone; `ErrorCode.callerMisuse` for an illegal identifier.
  public func httpRequest(
    to url: String, format: RegistrationFormat = .standard, clientRequestID: String? = nil
  ) throws(JOSEError) -> HTTPRequestValue {
    let names = format.deviceNames
    try RegistrationBody.requireP256(encryptionKey, name: names.encryptionKey)
    var members: [(String, String)] = []
    func append(_ name: String?, _ value: String?) {
      if let name, let value { members.append((name, value)) }
    }
    append(names.deviceID, deviceID)
    append(names.signingKey, try RegistrationBody.text(signingKey, names.keyForm, name: names.signingKey))
    append(names.signingKeyID, RegistrationBody.identifier(signingKey, format))
    append(
      names.encryptionKey, try RegistrationBody.text(encryptionKey, names.keyForm, name: names.encryptionKey))
    append(names.encryptionKeyID, RegistrationBody.identifier(encryptionKey, format))
    append(names.registrationToken, registrationToken)
    append(names.accessToken, accessToken)
    if format == .standard {
      append("serial_number", serialNumber)
      append("udid", udid)
      append("key_proof", keyProof)
    }
    let isAttested = format == .standard || format == .keycloak
    if isAttested { append("nonce", nonce) }
    append(names.authenticationMethod, format.text(authenticationMethod))
    return try RegistrationBody.request(
      members, attestation: isAttested ? attestation : [], isForm: format.isForm, to: url,
      clientRequestID: clientRequestID)
  }
}

extension DeviceRegistration {
  /// What a registry calls the device: what Apple attests of the Mac, or what the sender claims where nothing is
  /// attested.
  func name(attestedBy attestation: VerifiedAttestation?) -> String? {
    attestation?.name ?? deviceID ?? udid ?? serialNumber
  }
}

extension DeviceRegistration: Redacted {}
