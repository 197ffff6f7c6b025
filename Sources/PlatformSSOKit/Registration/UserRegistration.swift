import PureCrypto
import JOSE
import StrictJSON

/// What an extension sends to make a user's Secure Enclave key known.
///
/// Reading one proves nothing but that the key is on its curve and that its identifier is its own: check the access
/// token before the key is enrolled, and the attestation if there is one.
public struct UserRegistration: Sendable, Hashable {
  /// The user's key.
  public var userKey: RegisteredKey
  /// The device's name, if it was sent.
  public var deviceID: String?
  /// The user's access token.
  public var accessToken: String?
  /// The provider's nonce, whose hash an attestation carries.
  public var nonce: String?
  /// Attestation certificates in DER, leaf first.
  public var attestation: [[UInt8]]

  /// A registration of a user's key.
  public init(
    userKey: RegisteredKey, deviceID: String? = nil, accessToken: String? = nil, nonce: String? = nil,
    attestation: [[UInt8]] = []
  ) {
    (self.userKey, self.deviceID, self.accessToken, self.nonce) = (userKey, deviceID, accessToken, nonce)
    self.attestation = attestation
  }

  /// The names of the members: key, its identifier, device, access token.
  private static func names(
    _ format: RegistrationFormat
  ) -> (key: String, keyID: String, device: String, accessToken: String) {
    switch format {
    case .keycloak: ("userKey", "userKeyId", "deviceId", "accessToken")
    case .authentik: ("user_secure_enclave_key", "enclave_key_id", "device_id", "user_auth")
    case .standard, .fleet, .twocanoes: ("user_key", "user_key_id", "device_id", "access_token")
    }
  }

  /// Reads a registration. Formats without one of users' keys are read as ``RegistrationFormat/standard``.
  ///
  /// - Throws: as ``DeviceRegistration/init(from:format:signatureAlgorithms:limits:)``.
  public init(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, limits: Limits = .default
  ) throws(JOSEError) {
    let members = try RegistrationBody.members(request, isForm: false, limits: limits)
    let names = Self.names(format)
    userKey = try RegistrationBody.key(members, names.key, keyID: names.keyID)
    deviceID = try RegistrationBody.name(members, names.device)
    accessToken = try members.string(ifPresent: names.accessToken)
    nonce = try members.string(ifPresent: "nonce")
    attestation = try RegistrationBody.attestation(members)
  }

  /// The registration as a request, in one of the formats.
  ///
  /// - Parameters:
  ///   - url: the registration endpoint's.
  ///   - format: whose names and key forms the body has.
  ///   - clientRequestID: as of ``DeviceRegistration/httpRequest(to:format:clientRequestID:)``.
  /// - Throws: `ErrorCode.keyMismatch` for a key that is not on P-256, which no user's is; `ErrorCode.callerMisuse` for
  ///   an illegal identifier.
  public func httpRequest(
    to url: String, format: RegistrationFormat = .standard, clientRequestID: String? = nil
  ) throws(JOSEError) -> HTTPRequestValue {
    let names = Self.names(format)
    try RegistrationBody.requireP256(userKey, name: names.key)
    let form: RegistrationNames.KeyForm = format == .authentik ? .pem : .point
    let key = try RegistrationBody.text(userKey, form, name: names.key)
    let optional = [(names.device, deviceID), (names.accessToken, accessToken), ("nonce", nonce)]
    return try RegistrationBody.request(
      [(names.key, key), (names.keyID, userKey.keyID.text)]
        + optional.compactMap { name, value in value.map { (name, $0) } },
      attestation: attestation, to: url, clientRequestID: clientRequestID)
  }
}

extension UserRegistration: Redacted {}
