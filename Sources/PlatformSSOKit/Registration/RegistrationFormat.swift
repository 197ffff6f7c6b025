/// How a registration is written. Apple defines no format: each product has its own.
public enum RegistrationFormat: String, Sendable, Hashable, CaseIterable {
  /// This package's own: JSON with `device_id`, `serial_number`, `udid`, `signing_key`, `signing_key_id`,
  /// `encryption_key`, `encryption_key_id`, `registration_token`, `access_token`, `nonce`, `authentication_method` and
  /// `attestation`; keys are base64 of the point, or of SPKI in DER for a signing key that is not on P-256. A key that
  /// is a JWK is read too, in every format.
  case standard
  /// Keycloak's, as Weblogin sends it: base64 of the point, an attestation in base64.
  case keycloak
  /// authentik's: SPKI in PEM.
  case authentik
  /// Fleet's: a form with the point in PEM's armour, and a token of the profile.
  case fleet
  /// Twocanoes': SPKI in PEM, and nothing that proves anything.
  case twocanoes

  /// The names of a device registration's members.
  var deviceNames: RegistrationNames {
    switch self {
    case .standard:
      RegistrationNames(
        deviceID: "device_id", signingKey: "signing_key", signingKeyID: "signing_key_id",
        encryptionKey: "encryption_key", encryptionKeyID: "encryption_key_id",
        registrationToken: "registration_token", accessToken: "access_token",
        authenticationMethod: "authentication_method", keyForm: .pointOrSPKI)
    case .keycloak:
      RegistrationNames(
        deviceID: nil, signingKey: "DeviceSigningKey", signingKeyID: "SignKeyID",
        encryptionKey: "DeviceEncryptionKey", encryptionKeyID: "EncKeyID", registrationToken: "registrationToken",
        accessToken: "accessToken", authenticationMethod: "registrationMethod", keyForm: .point)
    case .authentik:
      RegistrationNames(
        deviceID: nil, signingKey: "device_signing_key", signingKeyID: "sign_key_id",
        encryptionKey: "device_encryption_key", encryptionKeyID: "enc_key_id", registrationToken: nil,
        accessToken: nil, keyForm: .pem)
    case .fleet:
      RegistrationNames(
        deviceID: "device_uuid", signingKey: "device_signing_key", signingKeyID: "signing_key_id",
        encryptionKey: "device_encryption_key", encryptionKeyID: "encryption_key_id",
        registrationToken: "registration_token", accessToken: nil, keyForm: .armouredPoint)
    case .twocanoes:
      RegistrationNames(
        deviceID: "DeviceUUID", signingKey: "DeviceSigningKey", signingKeyID: "SignKeyID",
        encryptionKey: "DeviceEncryptionKey", encryptionKeyID: "EncKeyID", registrationToken: nil, accessToken: nil,
        keyForm: .pem)
    }
  }

  /// Whether the body is a form; JSON if not.
  var isForm: Bool { self == .fleet }

  /// A method of logging in as the format writes it. Keycloak's extension says Secure Enclave unless it knows better.
  func text(_ method: ExtensibleSSOProfile.AuthenticationMethod?) -> String? {
    guard self == .keycloak else { return method?.rawValue }
    switch method {
    case .password: return "PASSWORD"
    case .openID: return "OPENID"
    case .userSecureEnclaveKey, .smartCard, nil: return "SECURE_ENCLAVE"
    }
  }

  /// The method of logging in that a text of the format means; nil for none that is known.
  func authenticationMethod(_ text: String) -> ExtensibleSSOProfile.AuthenticationMethod? {
    guard self == .keycloak else { return ExtensibleSSOProfile.AuthenticationMethod(rawValue: text) }
    let known: [ExtensibleSSOProfile.AuthenticationMethod] = [.password, .userSecureEnclaveKey, .openID]
    return known.first { method in self.text(method).map { $0.utf8.elementsEqual(text.utf8) } ?? false }
  }
}

/// The names that one format has for the parts of a registration; nil where it has no such part.
struct RegistrationNames {
  let deviceID: String?
  let signingKey: String
  let signingKeyID: String
  let encryptionKey: String
  let encryptionKeyID: String
  let registrationToken: String?
  let accessToken: String?
  var authenticationMethod: String?
  let keyForm: KeyForm

  /// How a public key is written.
  enum KeyForm {
    /// Base64 of the 65 octets.
    case point
    /// Base64 of the 65 octets, or of SPKI in DER for a key of another algorithm.
    case pointOrSPKI
    /// SPKI in PEM.
    case pem
    /// The 65 octets in the armour of PEM.
    case armouredPoint
  }
}
