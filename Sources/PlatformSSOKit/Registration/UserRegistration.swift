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
  ) throws(PlatformSSOError) {
    let members = try RegistrationBody.members(request, isForm: false, limits: limits)
    let names = Self.names(format)
    userKey = try RegistrationBody.key(members, names.key, keyID: names.keyID)
    deviceID = try members.string(ifPresent: names.device)
    accessToken = try members.string(ifPresent: names.accessToken)
    nonce = try members.string(ifPresent: "nonce")
    attestation = try RegistrationBody.attestation(members)
  }

  /// The registration as a request, in one of the formats.
  ///
  /// - Parameters:
  ///   - url: where registrations of users go.
  ///   - format: how it is written.
  ///   - clientRequestID: the one of the request that ``nonce`` came from, for providers that bind nonces to it, as
  ///     Keycloak does.
  /// - Throws: `ErrorCode.keyMismatch` for a key that is not on P-256, which no user's is;
  ///   `ErrorCode.callerMisuse` for an identifier that would break out of its line.
  public func httpRequest(
    to url: String, format: RegistrationFormat = .standard, clientRequestID: String? = nil
  ) throws(PlatformSSOError) -> HTTPRequestValue {
    let names = Self.names(format)
    try RegistrationBody.requireP256(userKey, name: names.key)
    let form: RegistrationNames.KeyForm = format == .authentik ? .pem : .point
    var object: JSONObject = [
      names.key: .string(try RegistrationBody.text(userKey, form, name: names.key)),
      names.keyID: .string(userKey.keyID.text),
    ]
    if let deviceID { object[names.device] = .string(deviceID) }
    if let accessToken { object[names.accessToken] = .string(accessToken) }
    if let nonce { object["nonce"] = .string(nonce) }
    if !attestation.isEmpty { object["attestation"] = .array(attestation.map { .string(Base64.encode($0)) }) }
    return try RegistrationBody.request(object, to: url, headers: RegistrationBody.headers(clientRequestID))
  }
}

extension UserRegistration: Redacted {}
