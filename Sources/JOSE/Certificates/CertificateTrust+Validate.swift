import PureCrypto

extension CertificateTrust {
  /// Validates a chain in DER.
  ///
  /// Limits, structure, names and dates come before any signature.
  /// - Parameter certificates: that of the key first, each of the others certifying the one before it. The root may
  ///   stand at the end.
  /// - Throws: ``ErrorCode/certificateInvalid``, whose ``JOSEError/name`` says which certificate breaks which
  ///   rule: `x5c[1].keyUsage`, `root[0].notAfter`; the rules bear the names of fields and extensions in RFC 5280.
  ///   ``ErrorCode/limitExceeded`` for too many certificates or octets, ``ErrorCode/callerMisuse`` if
  ///   ``extendedKeyUsage`` or ``requiredExtension`` is not an object identifier.
  public func validate(_ certificates: [[UInt8]]) throws(JOSEError) -> CertificateChain {
    let certificates = try withoutRoot(certificates)
    var path: [X509Profile] = []
    for (index, certificate) in certificates.enumerated() {
      path.append(try X509Profile(reading: certificate, as: .chain(index)))
    }
    guard let leaf = path.first, let last = path.last else { throw Self.empty }
    try requireLeaf(leaf, path)
    for index in path.indices.dropLast() { try requireIssuer(path[index + 1], .chain(index + 1), of: path, at: index) }
    for (index, certificate) in path.enumerated() { try requireDate(of: certificate, .chain(index)) }
    var comparisons = X509NameConstraints.maximumComparisonCount
    for index in path.indices.dropLast() { try requireNames(path[...index], below: path[index + 1], &comparisons) }
    // From here on only signatures are left, and the question which of the roots with the issuer's name it is.
    let fitting = roots.indices.filter { roots[$0].certificate.subject == last.certificate.issuer }
    guard !fitting.isEmpty else {
      throw CertificatePlace.chain(path.count - 1).refusal("issuer", "no trusted root has the name of the issuer")
    }
    // From the root down: who has no certificate from it has one signature examined for each root of that name.
    let root = try root(among: fitting, of: path, &comparisons)
    for index in path.indices.dropLast().reversed() { try requireSignature(of: path, at: index, by: path[index + 1]) }
    let all = path + [root]
    let start = all.map(\.validity.lowerBound).max() ?? 0
    let end = all.map(\.validity.upperBound).min() ?? 0
    return CertificateChain(leaf: leaf, certificates: certificates, root: root, validity: start...max(start, end))
  }

  /// The root that has issued the last certificate, of those that bear the issuer's name.
  private func root(
    among indices: [Int], of path: [X509Profile], _ comparisons: inout Int
  ) throws(JOSEError) -> X509Profile {
    var refusal = Self.empty
    for index in indices {
      do throws(JOSEError) {
        try requireIssuer(roots[index], .root(index), of: path, at: path.count - 1)
        try requireDate(of: roots[index], .root(index))
        try requireNames(path[...], below: roots[index], &comparisons)
        try requireSignature(of: path, at: path.count - 1, by: roots[index])
        return roots[index]
      } catch {
        refusal = error
      }
    }
    throw refusal
  }

  private static var empty: JOSEError { JOSEError(.certificateInvalid, "there are no certificates", name: "x5c") }

  /// The chain within its limits, without a root at its end.
  private func withoutRoot(_ certificates: [[UInt8]]) throws(JOSEError) -> [[UInt8]] {
    guard let last = certificates.last else { throw Self.empty }
    guard certificates.count <= limits.certificateCount else {
      throw JOSEError(.limitExceeded, "too many certificates", name: "certificateCount")
    }
    var rest = limits.certificateChainByteCount
    for certificate in certificates {
      guard certificate.count <= rest else {
        throw JOSEError(.limitExceeded, "the certificates are too long", name: "certificateChainByteCount")
      }
      rest -= certificate.count
    }
    guard roots.contains(where: { $0.certificate.derRepresentation == last }) else { return certificates }
    guard certificates.count > 1 else {
      throw CertificatePlace.chain(0).refusal("trust", "the certificate is a root itself, which certifies nothing")
    }
    return certificates.dropLast()
  }

  // MARK: The rules of single certificates

  /// The first certificate is that of no authority, and its key is for what the caller wants.
  private func requireLeaf(_ leaf: X509Profile, _ path: [X509Profile]) throws(JOSEError) {
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
    if purpose == .attestation { try requireAttestation(path) }
    if let requiredExtension {
      guard let wanted = DERObjectIdentifier(requiredExtension) else {
        throw JOSEError(.callerMisuse, "not an object identifier", name: "requiredExtension")
      }
      guard extensions[wanted] != nil else {
        throw place.refusal("requiredExtension", "the key is not marked for the purpose that is asked for")
      }
    }
    try requireExtendedUsage(path)
  }

  /// What Apple's attestations are made of: a key on P-256, signed with ECDSA on P-256 or P-384 by authorities with
  /// such keys.
  private func requireAttestation(_ path: [X509Profile]) throws(JOSEError) {
    for (index, certificate) in path.enumerated() {
      let isAccepted =
        switch certificate.publicKey {
        case .ec(.p256): true
        case .ec(.p384): index > 0
        default: false
        }
      guard isAccepted else {
        throw CertificatePlace.chain(index).refusal(
          "subjectPublicKeyInfo", "an attested key is on P-256, an authority's on P-256 or P-384")
      }
      switch certificate.signatureAlgorithm {
      case .ecdsa: break
      default: throw CertificatePlace.chain(index).refusal("signatureAlgorithm", "attestations are signed with ECDSA")
      }
    }
  }

  /// The purpose that the caller asks for stands in the first certificate, and no authority that lists purposes leaves
  /// it out.
  private func requireExtendedUsage(_ path: [X509Profile]) throws(JOSEError) {
    guard let extendedKeyUsage else { return }
    guard let wanted = DERObjectIdentifier(extendedKeyUsage) else {
      throw JOSEError(.callerMisuse, "not an object identifier", name: "extendedKeyUsage")
    }
    // 2.5.29.37.0
    let anyUsage = DERObjectIdentifier(contents: [0x55, 0x1D, 0x25, 0x00])
    for (index, certificate) in path.enumerated() {
      let listed = certificate.extensions.extendedKeyUsage
      let isFit =
        index == 0
        ? listed?.contains(wanted) == true
        : listed.map { $0.contains(wanted) || $0.contains(anyUsage) } ?? true
      guard isFit else {
        throw CertificatePlace.chain(index).refusal("extKeyUsage", "the key is not for the purpose that is asked for")
      }
    }
  }

  private func requireDate(of certificate: X509Profile, _ place: CertificatePlace) throws(JOSEError) {
    let now = clock.now.wholeSeconds
    guard now >= certificate.validity.lowerBound else {
      throw place.refusal("notBefore", "the certificate is not valid yet")
    }
    guard now <= certificate.validity.upperBound else {
      throw place.refusal("notAfter", "the certificate has expired")
    }
  }

  // MARK: The rules between certificates

  /// The issuer of the certificate at `index` may be this one, by names, extensions and its place in the chain.
  private func requireIssuer(
    _ issuer: X509Profile, _ place: CertificatePlace, of path: [X509Profile], at index: Int
  ) throws(JOSEError) {
    let subject = path[index]
    let subjectPlace = CertificatePlace.chain(index)
    guard subject.certificate.issuer == issuer.certificate.subject else {
      throw subjectPlace.refusal("issuer", "the next certificate is not that of the issuer")
    }
    guard subject.extensions.authorityKeyIdentifier?.mayMean(issuer.certificate, issuer.extensions) ?? true else {
      throw subjectPlace.refusal("authorityKeyIdentifier", "it names another key than the issuer's")
    }
    // One key of one name can stand in a chain once: more is a loop.
    guard
      !path[...index].contains(where: {
        $0.publicKey == issuer.publicKey && $0.certificate.subject == issuer.certificate.subject
      })
    else { throw place.refusal("subject", "the chain comes back to the same subject and key") }
    if issuer.isVersion3 { try issuer.requireAuthority(place) }
    guard let pathLength = issuer.extensions.basicConstraints?.pathLength else { return }
    let between = path[...index].dropFirst().count { !$0.isSelfIssued }
    guard between <= pathLength else {
      throw place.refusal("pathLenConstraint", "more authorities follow than the certificate allows")
    }
  }

  /// The names of these certificates, the first ones of the chain, are those that an authority above them may certify.
  /// Certificates of an authority for itself, as when it renews its key, are left out, unless they are the first.
  private func requireNames(
    _ path: ArraySlice<X509Profile>, below authority: X509Profile, _ comparisons: inout Int
  ) throws(JOSEError) {
    guard let constraints = authority.extensions.nameConstraints else { return }
    for (index, certificate) in zip(path.indices, path) where index == 0 || !certificate.isSelfIssued {
      guard let text = constraints.refusal(of: certificate, comparisons: &comparisons) else { continue }
      throw CertificatePlace.chain(index).refusal("nameConstraints", text)
    }
  }

  private func requireSignature(of path: [X509Profile], at index: Int, by issuer: X509Profile) throws(JOSEError) {
    let subject = path[index]
    guard
      issuer.publicKey.isValidSignature(
        subject.certificate.signature, for: subject.certificate.signedPart, algorithm: subject.signatureAlgorithm)
    else { throw CertificatePlace.chain(index).refusal("signature", "the signature is not the issuer's") }
  }
}
