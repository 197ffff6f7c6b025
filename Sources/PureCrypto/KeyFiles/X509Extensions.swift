/// The extensions of a certificate in a chain: known ones read, unknown ones kept, and unknown critical ones refused.
///
/// Source: RFC 5280 §4.2.
package struct X509Extensions: Sendable {
  /// An extension as it stands in the certificate.
  package struct Entry: Sendable {
    let identifier: [UInt8]
    let isCritical: Bool
    /// The contents of the OCTET STRING.
    let value: [UInt8]
  }

  /// The last two numbers of 2.5.29.n, by the name of the extension.
  private enum Known: UInt8 {
    case subjectKeyIdentifier = 14
    case keyUsage = 15
    case subjectAltName = 17
    case basicConstraints = 19
    case nameConstraints = 30
    case certificatePolicies = 32
    case authorityKeyIdentifier = 35
    case extKeyUsage = 37
  }

  /// More than any certificate needs.
  private static let maximumCount = 64

  private let entries: [Entry]

  package private(set) var basicConstraints: X509BasicConstraints?
  package private(set) var keyUsage: X509KeyUsage?
  /// The purposes of extKeyUsage, by the contents of their object identifiers.
  package private(set) var extendedKeyUsage: [DERObjectIdentifier]?
  package private(set) var subjectKeyIdentifier: [UInt8]?
  package private(set) var authorityKeyIdentifier: X509AuthorityKeyIdentifier?
  /// The names of subjectAltName; none if there is no such extension.
  package private(set) var subjectAltNames: [X509GeneralName] = []
  package private(set) var nameConstraints: X509NameConstraints?
  private(set) var hasCriticalSubjectAltName = false

  /// The value of an extension, known or not: the contents of its OCTET STRING. Nil if it is absent.
  package subscript(identifier: DERObjectIdentifier) -> [UInt8]? {
    entries.first { $0.identifier == identifier.contents }?.value
  }

  /// Reads [3] of a certificate; absent means no extensions.
  ///
  /// - Parameter isAnchor: whether only those are read that limit what an authority may certify, and a keyUsage in any
  ///   form. Unknown critical ones are refused all the same.
  init(_ encoded: [UInt8]?, isAnchor: Bool = false) throws(X509Refusal) {
    guard let encoded else {
      entries = []
      return
    }
    entries = try X509Refusal.reading(.extensions) { () throws(CryptoError) in
      try withContiguousBytes(encoded) { bytes throws(CryptoError) in try Self.entries(DERReader(bytes)) }
    }
    for entry in entries { try read(entry, isAnchor: isAnchor) }
  }

  /// Extensions ::= SEQUENCE SIZE (1..MAX) OF SEQUENCE { OBJECT IDENTIFIER, critical BOOLEAN DEFAULT FALSE, OCTET
  /// STRING }.
  private static func entries(_ reader: DERReader) throws(CryptoError) -> [Entry] {
    var reader = reader
    var list = try reader.read(.sequence)
    try reader.finish()
    var entries: [Entry] = []
    repeat {
      var element = try list.read(.sequence)
      let identifier = try element.readObjectIdentifierContents()
      let isCritical = try element.readFlag()
      let value = Array(try element.read(.octetString).bytes)
      try element.finish()
      guard !entries.contains(where: { $0.identifier == identifier }) else {
        throw CryptoError(.malformedDER, "an extension occurs twice in the certificate")
      }
      guard entries.count < maximumCount else { throw CryptoError(.malformedDER, "there are too many extensions") }
      entries.append(Entry(identifier: identifier, isCritical: isCritical, value: value))
    } while !list.bytes.isEmpty
    return entries
  }

  /// Reads one that is known; an unknown one may be ignored unless it is critical.
  private mutating func read(_ entry: Entry, isAnchor: Bool) throws(X509Refusal) {
    // 2.5.29.n
    let known: Known? =
      if entry.identifier.count == 3, entry.identifier.starts(with: [0x55, 0x1d]) {
        Known(rawValue: entry.identifier[2])
      } else {
        nil
      }
    switch known {
    case .basicConstraints: basicConstraints = try value(.basicConstraints, of: entry, X509BasicConstraints.init)
    case .keyUsage where isAnchor: keyUsage = try value(.keyUsage, of: entry, X509KeyUsage.init(inAnyForm:))
    case .keyUsage: keyUsage = try value(.keyUsage, of: entry, X509KeyUsage.init(_:))
    case .extKeyUsage where isAnchor, .subjectAltName where isAnchor, .subjectKeyIdentifier where isAnchor,
      .authorityKeyIdentifier where isAnchor:
      return
    case .extKeyUsage: extendedKeyUsage = try value(.extKeyUsage, of: entry, Self.purposes)
    case .subjectAltName:
      subjectAltNames = try value(.subjectAltName, of: entry, Self.generalNames)
      hasCriticalSubjectAltName = entry.isCritical
    case .subjectKeyIdentifier:
      subjectKeyIdentifier = try value(.subjectKeyIdentifier, of: entry, Self.keyIdentifier)
    case .authorityKeyIdentifier:
      authorityKeyIdentifier = try value(.authorityKeyIdentifier, of: entry, X509AuthorityKeyIdentifier.init)
    case .certificatePolicies:
      // This validation asks for no policy, so any will do (RFC 5280 §6.1.1).
      break
    case .nameConstraints:
      nameConstraints = try value(.nameConstraints, of: entry, X509NameConstraints.init)
    case nil:
      guard !entry.isCritical else { throw X509Refusal(.extensions, "a critical extension is not understood") }
    }
    // RFC 5280 §4.2.1.1 and §4.2.1.2.
    if known == .subjectKeyIdentifier || known == .authorityKeyIdentifier, entry.isCritical {
      throw X509Refusal(.extensions, "an identifier of a key is critical")
    }
  }

  private func value<Value>(
    _ rule: X509Refusal.Rule, of entry: Entry, _ read: (UnsafeRawBufferPointer) throws(CryptoError) -> Value
  ) throws(X509Refusal) -> Value {
    try X509Refusal.reading(rule) { () throws(CryptoError) in try withContiguousBytes(entry.value, read) }
  }

  /// ExtKeyUsageSyntax ::= SEQUENCE SIZE (1..MAX) OF KeyPurposeId.
  private static func purposes(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [DERObjectIdentifier] {
    var reader = DERReader(bytes)
    var list = try reader.read(.sequence)
    try reader.finish()
    var purposes: [DERObjectIdentifier] = []
    repeat {
      purposes.append(DERObjectIdentifier(contents: try list.readObjectIdentifierContents()))
    } while !list.bytes
      .isEmpty
    return purposes
  }

  /// GeneralNames ::= SEQUENCE SIZE (1..MAX) OF GeneralName.
  private static func generalNames(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [X509GeneralName] {
    var reader = DERReader(bytes)
    var list = try reader.read(.sequence)
    try reader.finish()
    var names: [X509GeneralName] = []
    repeat { names.append(try X509GeneralName(list.readAnyWhole())) } while !list.bytes.isEmpty
    return names
  }

  private static func keyIdentifier(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
    var reader = DERReader(bytes)
    let identifier = Array(try reader.read(.octetString).bytes)
    try reader.finish()
    return identifier
  }
}
