import JOSE
import PureCrypto

/// A key's attestation that was checked. Made by ``AttestationPolicy`` only.
public struct VerifiedAttestation: Sendable {
  /// The certificates, from the key to the trusted root.
  public let chain: CertificateChain

  /// The Mac's serial number, if Apple attests it.
  public let serialNumber: String?

  /// The Mac's provisioning UDID, if Apple attests it.
  public let udid: String?

  /// What names the Mac, if Apple attests it.
  var name: String? { udid ?? serialNumber }

  init(chain: CertificateChain) {
    self.chain = chain
    serialNumber = Self.text(chain.extensionValue(AttestedProperty.serialNumber))
    udid = Self.text(chain.extensionValue(AttestedProperty.udid))
  }

  /// What an extension of the attestation says of the Mac, as text of 1 to 128 printable ASCII characters. Nil if it
  /// says nothing, or nothing of this form; the octets are `chain.extensionValue(_:)`.
  ///
  /// Apple's extensions begin with `1.2.840.113635.100.8.`: `10.1` is the version of the operating system, `10.2`
  /// that of the Secure Enclave's, `10.3` that of the boot loader, `9.4` the identifier for software updates, `13.1`
  /// System Integrity Protection (`0` enabled), `13.2` the secure boot level, `13.3` whether kernel extensions of
  /// third parties may be loaded (`0`: none). What Apple can't vouch for is blank or absent.
  /// - Parameter identifier: the extension's object identifier: numbers with dots.
  public func text(_ identifier: String) -> String? { Self.text(chain.extensionValue(identifier)) }

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

extension VerifiedAttestation: Redacted {}

extension VerifiedAttestation {
  /// Refuses an attestation that names another Mac. What isn't known, or not attested, is not compared.
  func requireSame(serialNumber: String?, udid: String?) throws(JOSEError) {
    for (known, attested, name) in [(serialNumber, self.serialNumber, "serialNumber"), (udid, self.udid, "udid")] {
      guard let known, let attested, WireName(known) != attested else { continue }
      throw JOSEError(.attestedIdentifierMismatch, "the attestation names another Mac", name: name)
    }
  }
}

/// The extensions of an attestation's leaf certificate that this module reads.
///
/// Source: Apple, Platform Security, Managed Device Attestation.
package enum AttestedProperty {
  package static let serialNumber = "1.2.840.113635.100.8.9.1"
  /// The provisioning UDID, which is not the hardware's UUID.
  package static let udid = "1.2.840.113635.100.8.9.2"
  /// The hash that the attestation was asked for with: 32 octets.
  package static let freshness = "1.2.840.113635.100.8.11.1"
}
