/// What an attestation's leaf certificate may say of a Mac, in an extension of its own.
///
/// Which of them stand in attestations for Platform SSO depends on the system and the profile: ``freshness`` always,
/// ``serialNumber`` and ``udid`` with `AllowDeviceIdentifiersInAttestation`. What Apple can't vouch for is blank or
/// absent. Source: Apple, Platform Security, Managed Device Attestation.
public struct AttestedProperty: Sendable, Hashable {
  /// The extension's object identifier: numbers with dots.
  public let identifier: String

  /// The property of an extension.
  public init(identifier: String) { self.identifier = identifier }

  private init(_ tail: String) { identifier = "1.2.840.113635.100.8." + tail }

  /// The serial number.
  public static let serialNumber = Self("9.1")
  /// The provisioning UDID, which is not the hardware's UUID.
  public static let udid = Self("9.2")
  /// The identifier for software updates.
  public static let softwareUpdateDeviceID = Self("9.4")
  /// The version of the operating system.
  public static let operatingSystemVersion = Self("10.1")
  /// The version of the Secure Enclave's system.
  public static let secureEnclaveVersion = Self("10.2")
  /// The version of the boot loader.
  public static let bootLoaderVersion = Self("10.3")
  /// The hash that the attestation was asked for with: 32 octets.
  public static let freshness = Self("11.1")
  /// System Integrity Protection: `0` enabled, `1` disabled.
  public static let systemIntegrityProtection = Self("13.1")
  /// `Full Security`, `Reduced Security` or `Permissive Security`.
  public static let secureBoot = Self("13.2")
  /// Whether kernel extensions of third parties may be loaded: `0` for none.
  public static let kernelExtensions = Self("13.3")
}
