import PureCrypto

extension CertificateTrust {
  /// Requires that the first certificate of a header names the issuer of its token, if it must. The chain has been
  /// validated.
  ///
  /// - Throws: ``ErrorCode/certificateInvalid``; ``ErrorCode/claimMissing`` for a token without `iss`.
  func requireName(of issuer: WireName?, _ header: ProtectedHeader) throws(JOSEError) {
    guard namesIssuer else { return }
    guard let issuer else { throw ClaimsUnderRule.missing("iss") }
    let place = CertificatePlace.chain(0)
    guard let first = try header.certificates(limits: limits)?.first else {
      throw JOSEError(.headerInvalid, "there are no certificates", name: "x5c")
    }
    let url = try? URIComponents(parsing: issuer.text)
    let host = url?.hasScheme("https") == true ? url?.host : nil
    let names = try X509Profile(reading: first, as: place).extensions.subjectAltNames
    let isNamed = names.contains { name in
      switch CertificateName(name) {
      case .uri(let uri): issuer == uri
      case .dns(let name): host?.hasSameBytesIgnoringASCIICase(as: name) == true
      default: false
      }
    }
    guard isNamed else {
      throw place.refusal("subjectAltName", "the first certificate does not name the token's issuer")
    }
  }
}
