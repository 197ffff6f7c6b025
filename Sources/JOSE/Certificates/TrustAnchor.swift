import PureCrypto

/// A root that a program trusts by its name and key.
struct TrustAnchor: Sendable {
  /// Its place in the list of roots.
  let index: Int
  let certificate: X509Profile

  /// Reads a root in DER, which must be an authority.
  init(_ octets: [UInt8], at index: Int) throws(JOSEError) {
    self.index = index
    certificate = try X509Profile(reading: octets, as: .root(index), isAnchor: true)
    // Version 1 has no place to say so.
    if certificate.isVersion3 { try certificate.requireAuthority(.root(index)) }
  }
}
