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

  /// What the attestation says of the Mac as text: 1 to 128 printable ASCII characters. Nil if it says nothing, or nothing of this form.
  public func text(_ property: AttestedProperty) -> String? { Self.text(octets(property)) }

  private static func text(_ value: [UInt8]?) -> String? {
    guard let value else { return nil }
    let octets = bareOctets(value)
    guard (1...128).contains(octets.count), octets.allSatisfy({ (0x20...0x7E).contains($0) }),
      octets.contains(where: { $0 != 0x20 })
    else { return nil }
    return String(decoding: octets, as: UTF8.self)
  }

  /// The value without a string type of DER around it. Known attestations have none, and no printable text is taken for one.
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
