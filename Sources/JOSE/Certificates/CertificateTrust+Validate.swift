import PureCrypto

extension CertificateTrust {
  /// Validates a chain in DER.
  ///
  /// The path ends at the first certificate that a root has issued: what follows it, as a root that was issued anew or
  /// certified by another one, is of no interest. Limits come first; structure and dates of the certificates up to an
  /// issuer with a root's name come before its signature, and constraints on names after all signatures.
  ///
  /// - Parameter certificates: that of the key first, each of the others certifying the one before it.
  /// - Throws: ``ErrorCode/certificateInvalid``, whose ``JOSEError/name`` says which certificate breaks which
  ///   rule: `x5c[1].keyUsage`, `root[0].notAfter`; the rules bear the names of fields and extensions in RFC 5280.
  ///   ``ErrorCode/limitExceeded`` for too many certificates or octets, ``ErrorCode/callerMisuse`` if
  ///   ``extendedKeyUsage`` or ``requiredExtension`` is not an object identifier.
  public func validate(_ certificates: [[UInt8]]) throws(JOSEError) -> CertificateChain {
    try requireLimits(certificates)
    var path: [X509Profile] = []
    var budget = X509NameConstraints.maximumComparedByteCount
    // Why the last root with the name of an issuer hasn't issued the path, which says more than what follows it. Of a
    // root whose key has signed the path it says more than of one that has the name alone.
    var refusal: (error: JOSEError, isOfSigner: Bool)?
    do throws(JOSEError) {
      for certificate in certificates {
        try extend(&path, by: certificate)
        for anchor in possibleIssuers(of: path) {
          do throws(JOSEError) {
            return try chain(path, issuedBy: anchor, &budget)
          } catch {
            let isOfSigner = anchors.count > 1 && hasSigned(anchor, path)
            if isOfSigner || refusal?.isOfSigner != true { refusal = (error, isOfSigner) }
          }
        }
      }
    } catch {
      throw refusal?.error ?? error
    }
    throw refusal?.error
      ?? CertificatePlace.chain(path.count - 1).refusal("issuer", "no trusted root has the name of the issuer")
  }

  /// The roots with the name of a path's last issuer, except those that are in the path themselves: they were asked
  /// for the part of the path below them.
  func possibleIssuers(of path: [X509Profile]) -> [TrustAnchor] {
    anchors.filter { anchor in
      anchor.certificate.certificate.subject == path.last?.certificate.issuer
        && !path.contains(where: anchor.certificate.isSameAuthority)
    }
  }

  private func hasSigned(_ anchor: TrustAnchor, _ path: [X509Profile]) -> Bool {
    guard let last = path.last else { return false }
    return (try? requireSignature(of: last, at: path.count - 1, by: anchor.certificate)) != nil
  }

  func requireLimits(_ certificates: [[UInt8]]) throws(JOSEError) {
    guard !certificates.isEmpty else {
      throw JOSEError(.certificateInvalid, "there are no certificates", name: "x5c")
    }
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
  }

  /// Appends the next certificate to a path, if all that can be said without a signature speaks for it.
  private func extend(_ path: inout [X509Profile], by octets: [UInt8]) throws(JOSEError) {
    let certificate = try X509Profile(reading: octets, as: .chain(path.count))
    for check in Check.allCases { try require(check, of: certificate, after: path) }
    path.append(certificate)
  }

  /// What is asked of a path's next certificate before any signature, in this order.
  enum Check: CaseIterable {
    case position, attestation, extendedUsage, date
  }

  func require(_ check: Check, of certificate: X509Profile, after path: [X509Profile]) throws(JOSEError) {
    let place = CertificatePlace.chain(path.count)
    switch check {
    case .position:
      guard path.isEmpty else { return try requireIssuer(certificate, place, of: path) }
      guard !anchors.contains(where: { $0.certificate.isSameAuthority(as: certificate) }) else {
        throw place.refusal("trust", "the certificate is a root itself, which certifies nothing")
      }
      try requireLeaf(certificate)
    case .attestation:
      if purpose == .attestation { try requireAttestation(certificate, place, isLeaf: path.isEmpty) }
    case .extendedUsage: try requireExtendedUsage(certificate, place, isLeaf: path.isEmpty)
    case .date: try requireDate(of: certificate, place)
    }
  }

  /// The chain of a path whose last certificate a root has issued.
  ///
  /// From the root down: who has no certificate from it has one signature examined for each that claims to be, and each
  /// root of the name.
  func chain(
    _ path: [X509Profile], issuedBy anchor: TrustAnchor, _ budget: inout Int
  ) throws(JOSEError) -> CertificateChain {
    let root = anchor.certificate
    let place = CertificatePlace.root(anchor.index)
    try requireIssuer(root, place, of: path, isAnchor: true)
    try requireDate(of: root, place)
    let all = path + [root]
    for index in path.indices.reversed() { try requireSignature(of: path[index], at: index, by: all[index + 1]) }
    // Only authorities that lead to the root have names compared.
    for index in path.indices { try requireNames(path[...index], below: all[index + 1], &budget) }
    let start = all.map(\.validity.lowerBound).max() ?? 0
    let end = all.map(\.validity.upperBound).min() ?? 0
    return CertificateChain(leaf: path[0], path: path, root: root, validity: start...max(start, end))
  }
}
