import PureCrypto

/// The name of a certificate's subject or issuer: attributes, from the widest to the narrowest.
///
/// Two names are equal when they are the same to the octet, as ``CertificateTrust`` compares them.
/// Source: RFC 5280 §4.1.2.4.
public struct DistinguishedName: Sendable, Hashable {
  /// One attribute, such as an organization or a common name.
  public struct Attribute: Sendable, Hashable {
    /// The object identifier of what it is: `2.5.4.3` for a common name.
    public let identifier: String
    /// The value; nil if it is not text, or has control characters.
    public let text: String?
  }

  /// The Name in DER.
  public let derRepresentation: [UInt8]

  /// The attributes in the order of the certificate.
  public let attributes: [Attribute]

  init(_ name: X509Name) {
    derRepresentation = name.derRepresentation
    attributes = name.attributes.map { Attribute(identifier: $0.identifier.text, text: $0.text) }
  }

  /// The texts of all attributes of one kind.
  ///
  /// - Parameter identifier: an object identifier, numbers with dots: `2.5.4.10` for organizations.
  public subscript(_ identifier: String) -> [String] {
    let identifier = WireName(identifier)
    return attributes.filter { $0.identifier == identifier }.compactMap(\.text)
  }

  /// The last common name, `2.5.4.3`; nil if there is none. Servers are named by ``CertificateName/dns(_:)``, not here.
  public var commonName: String? { self["2.5.4.3"].last }
}

extension DistinguishedName: CustomStringConvertible {
  /// The name as people read it: `CN=Jane,O=Example,C=DE`, narrowest first. To show, not to compare.
  ///
  /// Source: RFC 4514.
  public var description: String {
    attributes.reversed().map { attribute in
      let type = Self.shortNames[attribute.identifier] ?? attribute.identifier
      return "\(type)=\(attribute.text.map(Self.escaped) ?? "?")"
    }.joined(separator: ",")
  }

  private static let shortNames = [
    "2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "STREET", "2.5.4.10": "O",
    "2.5.4.11": "OU", "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC",
  ]

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for (index, character) in text.unicodeScalars.enumerated() {
      let isEdge = index == 0 && "# ".unicodeScalars.contains(character)
      let isLastSpace = character == " " && index == text.unicodeScalars.count - 1
      if isEdge || isLastSpace || "\"+,;<>\\=".unicodeScalars.contains(character) { escaped += "\\" }
      escaped.unicodeScalars.append(character)
    }
    return escaped
  }
}
