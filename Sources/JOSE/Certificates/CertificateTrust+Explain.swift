import PureCrypto

extension CertificateTrust {
  /// Says why a chain is accepted or refused: for a developer who looks for the cause, never for a log or an answer.
  ///
  /// ``validate(_:)-([[UInt8]])`` stops at the first thing that is wrong. This goes on by the same checks, through all
  /// certificates and every root that has the name of an issuer, and its text repeats what the certificates say,
  /// authentic or not: see ``JWTExplanation``. Whether a chain is good is for ``validate(_:)-([[UInt8]])`` alone to
  /// decide.
  /// - Parameter certificates: in DER, that of the key first.
  public func explain(_ certificates: [[UInt8]]) -> JWTExplanation {
    var explanation = JWTExplanation()
    explain(certificates, &explanation)
    return explanation
  }

  func explain(_ certificates: [[UInt8]], _ explanation: inout JWTExplanation) {
    var isAccepted = false
    do throws(JOSEError) {
      _ = try validate(certificates)
      isAccepted = true
    } catch {
      explanation.refuse(error)
    }
    explanation.note("certificates, at \(clock.now.wholeSeconds)")
    // Too many certificates are not examined, and the refusal says so.
    guard (try? requireLimits(certificates)) != nil else { return }
    explainPaths(certificates, isAccepted: isAccepted, &explanation)
  }

  /// Each certificate, what the checks say of it, and each root that may have issued the path that ends with it.
  private func explainPaths(_ certificates: [[UInt8]], isAccepted: Bool, _ explanation: inout JWTExplanation) {
    var path: [X509Profile] = []
    var budget = X509NameConstraints.maximumComparedByteCount
    for octets in certificates {
      let certificate: X509Profile
      do throws(JOSEError) {
        certificate = try X509Profile(reading: octets, as: .chain(path.count))
      } catch {
        // What follows has no issuer's name to be compared with.
        explanation.note("  x5c[\(path.count)] can't be read: \(error)")
        return explanation.refuse(error)
      }
      explanation.note("  x5c[\(path.count)] \(shown(certificate))")
      for check in Check.allCases {
        explain(&explanation, "   ", isAccepted: isAccepted) { () throws(JOSEError) in
          try require(check, of: certificate, after: path)
        }
      }
      path.append(certificate)
      let named = possibleIssuers(of: path)
      for anchor in named {
        explanation.note("    by root[\(anchor.index)] \(shown(anchor.certificate))")
        let isIssuer = explain(&explanation, "     ", isAccepted: isAccepted) { () throws(JOSEError) in
          _ = try chain(path, issuedBy: anchor, &budget)
        }
        guard isIssuer else { continue }
        explanation.note("      which has issued the certificates up to here; what follows is not looked at")
        return
      }
      guard named.isEmpty else { continue }
      if let root = anchors.first(where: { path.contains(where: $0.certificate.isSameAuthority) }) {
        explanation.note("    root[\(root.index)] has the name and the key of one of these certificates")
      } else {
        explanation.note("    no trusted root has the name of its issuer")
      }
    }
  }

  /// Notes what is wrong. Where another path is accepted, that is no reason to refuse the chain.
  @discardableResult
  private func explain(
    _ explanation: inout JWTExplanation, _ indentation: String, isAccepted: Bool, _ step: () throws(JOSEError) -> Void
  ) -> Bool {
    do throws(JOSEError) {
      try step()
      return true
    } catch {
      explanation.note("\(indentation) \(error)")
      if !isAccepted { explanation.refuse(error) }
      return false
    }
  }

  private func shown(_ certificate: X509Profile) -> String {
    let now = clock.now.secondsSince1970
    let start = JWTExplanation.distance(Double(certificate.validity.lowerBound) - now)
    let end = JWTExplanation.distance(Double(certificate.validity.upperBound) - now)
    let subject = JWTExplanation.quoted(DistinguishedName(certificate.subject).description)
    let issuer = JWTExplanation.quoted(DistinguishedName(certificate.issuer).description)
    return "\(subject) of \(issuer), notBefore \(start), notAfter \(end)"
  }
}
