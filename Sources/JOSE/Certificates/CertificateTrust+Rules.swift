import PureCrypto

// The rules of single certificates, and those between two of a path.
extension CertificateTrust {
  /// The first certificate is that of no authority, and its key is for what the caller wants.
  func requireLeaf(_ leaf: X509Profile) throws(JOSEError) {
    let place = CertificatePlace.chain(0)
    let extensions = leaf.extensions
    guard extensions.basicConstraints?.isAuthority != true else {
      throw place.refusal("basicConstraints", "the first certificate is that of an authority")
    }
    // RFC 5280 §4.2.1.9.
    guard extensions.keyUsage?.contains(.keyCertSign) != true else {
      throw place.refusal("keyUsage", "the key signs certificates, but is not that of an authority")
    }
    // RFC 5280 §4.2.1.10.
    guard extensions.nameConstraints == nil else {
      throw place.refusal("nameConstraints", "constraints on names are not those of an authority")
    }
    let usages: X509KeyUsage =
      switch purpose {
      case .any: []
      case .signature: [.digitalSignature, .contentCommitment]
      case .attestation: .digitalSignature
      }
    if !usages.isEmpty, let usage = extensions.keyUsage, usage.isDisjoint(with: usages) {
      throw place.refusal("keyUsage", "the key is not for signatures")
    }
    if let requiredExtension {
      guard let wanted = DERObjectIdentifier(requiredExtension) else {
        throw JOSEError(.callerMisuse, "not an object identifier", name: "requiredExtension")
      }
      guard extensions[wanted] != nil else {
        throw place.refusal("requiredExtension", "the key is not marked for the purpose that is asked for")
      }
    }
  }

  /// What Apple's attestations are made of: a key on P-256, signed with ECDSA on P-256 or P-384 by authorities with
  /// such keys.
  func requireAttestation(
    _ certificate: X509Profile, _ place: CertificatePlace, isLeaf: Bool
  ) throws(JOSEError) {
    let isAccepted =
      switch certificate.publicKey {
      case .ec(.p256): true
      case .ec(.p384): !isLeaf
      default: false
      }
    guard isAccepted else {
      throw place.refusal("subjectPublicKeyInfo", "an attested key is on P-256, an authority's on P-256 or P-384")
    }
    guard case .ecdsa = certificate.signatureAlgorithm else {
      throw place.refusal("signatureAlgorithm", "attestations are signed with ECDSA")
    }
  }

  /// The purpose that the caller asks for stands in the first certificate, and no authority that lists purposes leaves
  /// it out.
  func requireExtendedUsage(
    _ certificate: X509Profile, _ place: CertificatePlace, isLeaf: Bool
  ) throws(JOSEError) {
    guard let extendedKeyUsage else { return }
    guard let wanted = DERObjectIdentifier(extendedKeyUsage) else {
      throw JOSEError(.callerMisuse, "not an object identifier", name: "extendedKeyUsage")
    }
    // 2.5.29.37.0
    let anyUsage = DERObjectIdentifier(contents: [0x55, 0x1D, 0x25, 0x00])
    let listed = certificate.extensions.extendedKeyUsage
    let isFit =
      isLeaf ? listed?.contains(wanted) == true : listed.map { $0.contains(wanted) || $0.contains(anyUsage) } ?? true
    guard isFit else { throw place.refusal("extKeyUsage", "the key is not for the purpose that is asked for") }
  }

  func requireDate(of certificate: X509Profile, _ place: CertificatePlace) throws(JOSEError) {
    let now = clock.now.wholeSeconds
    guard now >= certificate.validity.lowerBound else {
      throw place.refusal("notBefore", "the certificate is not valid yet")
    }
    guard now <= certificate.validity.upperBound else {
      throw place.refusal("notAfter", "the certificate has expired")
    }
  }

  // MARK: The rules between certificates

  /// The issuer of the last certificate of a path may be this one, by names, extensions and its place in the chain.
  func requireIssuer(
    _ issuer: X509Profile, _ place: CertificatePlace, of path: [X509Profile], isAnchor: Bool = false
  ) throws(JOSEError) {
    guard let subject = path.last else { return }
    let subjectPlace = CertificatePlace.chain(path.count - 1)
    guard subject.certificate.issuer == issuer.certificate.subject else {
      throw subjectPlace.refusal("issuer", "the next certificate is not that of the issuer")
    }
    // An anchor is trusted by name and key, whichever of its certificates the identifier means.
    let identifier = isAnchor ? nil : subject.extensions.authorityKeyIdentifier
    guard identifier?.mayMean(issuer.certificate, issuer.extensions) ?? true else {
      throw subjectPlace.refusal("authorityKeyIdentifier", "it names another key than the issuer's")
    }
    // One key of one name can stand in a chain once: more is a loop.
    guard !path.contains(where: issuer.isSameAuthority) else {
      throw place.refusal("subject", "the chain comes back to the same subject and key")
    }
    if issuer.isVersion3 { try issuer.requireAuthority(place) }
    guard let pathLength = issuer.extensions.basicConstraints?.pathLength else { return }
    let between = path.dropFirst().count { !$0.isSelfIssued }
    guard between <= pathLength else {
      throw place.refusal("pathLenConstraint", "more authorities follow than the certificate allows")
    }
  }

  /// The names of these certificates, the first ones of the chain, are those that an authority above them may certify.
  /// Certificates of an authority for itself, as when it renews its key, are left out, unless they are the first.
  func requireNames(
    _ path: ArraySlice<X509Profile>, below authority: X509Profile, _ budget: inout Int
  ) throws(JOSEError) {
    guard let constraints = authority.extensions.nameConstraints else { return }
    for (index, certificate) in zip(path.indices, path) where index == 0 || !certificate.isSelfIssued {
      guard let text = constraints.refusal(of: certificate, budget: &budget) else { continue }
      throw CertificatePlace.chain(index).refusal("nameConstraints", text)
    }
  }

  func requireSignature(of subject: X509Profile, at index: Int, by issuer: X509Profile) throws(JOSEError) {
    guard let algorithm = subject.signatureAlgorithm,
      issuer.publicKey.isValidSignature(
        subject.certificate.signature, for: subject.certificate.signedPart, algorithm: algorithm)
    else { throw CertificatePlace.chain(index).refusal("signature", "the signature is not the issuer's") }
  }
}
