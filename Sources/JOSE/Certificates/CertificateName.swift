import PureCrypto

/// A name of a certificate's subject in subjectAltName, well-formed. There may be more cases in time.
///
/// Source: RFC 5280 §4.2.1.6.
public enum CertificateName: Sendable, Hashable {
  /// A host, as written: labels of ASCII; the first may be `*`. ASCII case doesn't matter.
  case dns(String)
  /// An e-mail address in ASCII, `local@host`.
  case email(String)
  /// A uniformResourceIdentifier as it is written, such as a SPIFFE ID.
  case uri(String)
  /// An IP address, 4 or 16 octets.
  case ip([UInt8])
  /// A distinguished name.
  case directory(DistinguishedName)
  /// A name of a kind that is not read, by its number in GeneralName: 0 for otherName, 3 for x400Address, 5 for
  /// ediPartyName, 8 for registeredID.
  case other(kind: Int)

  init(_ name: X509GeneralName) {
    self =
      switch name {
      case .dns(let octets): .dns(String(decoding: octets, as: UTF8.self))
      case .email(let octets): .email(String(decoding: octets, as: UTF8.self))
      case .uri(let octets): .uri(String(decoding: octets, as: UTF8.self))
      case .ip(let octets): .ip(octets)
      case .directory(let name): .directory(DistinguishedName(name))
      case .incomparableEmail: .other(kind: 0)
      case .other(let kind, _): .other(kind: Int(kind))
      }
  }
}
