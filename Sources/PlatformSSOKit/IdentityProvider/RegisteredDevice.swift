import StrictJSON

/// What an identity provider keeps of a device.
///
/// Apple defines no wire format for registration: the extension sends the keys in a form of the vendor's choosing. Make
/// a ``RegisteredKey`` of whatever form came, and store this record. It is `Codable`.
public struct RegisteredDevice: Sendable, Hashable, Codable {
  /// Whose word the serial number and the UDID are.
  public enum Identity: String, Sendable, Codable {
    /// Apple attested that the signing key of the registration lives in the Mac with these. Keys of a rotation are
    /// vouched for by the keys before them.
    case attested
    /// The sender of the registration says so, or nothing is said.
    case claimed
  }

  /// The provider's own name for the device.
  public var id: String
  /// Whose word ``serialNumber`` and ``udid`` are: the registry's verdict on an attestation.
  public package(set) var identity = Identity.claimed
  /// The Mac's serial number.
  public var serialNumber: String?
  /// The Mac's provisioning UDID.
  public var udid: String?
  /// The tenant that the device belongs to, for providers that serve several.
  public var tenant: String?
  /// The key that signs requests.
  public var signingKey: RegisteredKey
  /// The key that responses are encrypted for.
  public var encryptionKey: RegisteredKey
  /// The key that will replace ``signingKey``, or that it replaces, until the rotation is complete.
  public var otherSigningKey: RegisteredKey?
  /// The key that will replace ``encryptionKey``, or that it replaces, until the rotation is complete.
  public var otherEncryptionKey: RegisteredKey?
  /// Attestation certificates in DER, leaf first, as they came: nothing in this record says that they were checked.
  /// ``AttestationPolicy`` does that.
  public var attestation: [[UInt8]]
  /// Names the registration: another one when the device is registered anew, and the same while its keys rotate. A
  /// ``DeviceRegistry`` gives it. What is kept under it for the device's users ends with the registration.
  public package(set) var registrationID: String?

  /// A device as its registration says, with keys that the caller has accepted.
  public init(
    id: String, signingKey: RegisteredKey, encryptionKey: RegisteredKey, otherSigningKey: RegisteredKey? = nil,
    otherEncryptionKey: RegisteredKey? = nil, attestation: [[UInt8]] = [], serialNumber: String? = nil,
    udid: String? = nil, tenant: String? = nil
  ) {
    (self.id, self.signingKey, self.encryptionKey) = (id, signingKey, encryptionKey)
    (self.otherSigningKey, self.otherEncryptionKey) = (otherSigningKey, otherEncryptionKey)
    (self.attestation, self.serialNumber, self.udid, self.tenant) = (attestation, serialNumber, udid, tenant)
  }

  /// Whether two keys are good for this device already.
  func hasKeys(_ signing: RegisteredKey, _ encryption: RegisteredKey) -> Bool {
    signingKey(signing.keyID) == signing && encryptionKey(x963Representation: encryption.x963Representation) != nil
  }

  /// Whether a sender who uses this name may mean this device.
  func isCalled(_ claimed: String?) -> Bool {
    guard let claimed else { return true }
    return [id, udid, serialNumber].compactMap { $0 }.wireNames.contains(claimed)
  }

  /// The signing key with an identifier.
  func signingKey(_ keyID: KeyIdentifier) -> RegisteredKey? {
    [signingKey, otherSigningKey].compactMap { $0 }.first { $0.keyID == keyID }
  }

  /// The encryption key with a point.
  func encryptionKey(x963Representation point: [UInt8]) -> RegisteredKey? {
    [encryptionKey, otherEncryptionKey].compactMap { $0 }.first { $0.x963Representation == point }
  }
}
