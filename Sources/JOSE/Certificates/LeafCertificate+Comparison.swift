import StrictJSON

extension ProtectedHeader {
  /// `x5c`: certificates in DER, the signer's first. They prove nothing until their chain has been validated; nothing here does that.
  ///
  /// - Throws: ``JOSEError/Code/headerInvalid`` if the parameter is no array of padded base64 strings,
  ///   ``JOSEError/Code/limitExceeded`` if there are too many.
  public func certificates(limits: Limits = .default) throws(JOSEError) -> [[UInt8]]? {
    try LeafCertificate.certificates(of: parameters, refusedWith: .headerInvalid, limits: limits)
  }

  /// The first certificate of `x5c`, or nil if there is none. `x5t` and `x5t#S256`, where present, must be its thumbprints.
  ///
  /// The certificate is what the sender says; see ``LeafCertificate``. Of a verified token, use ``VerifiedJWS/leafCertificate(limits:)``.
  /// - Throws: ``JOSEError/Code/headerInvalid``, ``JOSEError/Code/limitExceeded``, and as ``LeafCertificate/init(derRepresentation:)``.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    try LeafCertificate(of: parameters, refusedWith: .headerInvalid, limits: limits)
  }

  /// The certificate of `x5c`, which must be one for the key that verified the message.
  fileprivate func leafCertificate(for key: VerificationKey, limits: Limits) throws(JOSEError) -> LeafCertificate? {
    guard let certificate = try leafCertificate(limits: limits) else { return nil }
    guard let jwk = key.publicJWK, certificate.isFor(jwk) else {
      throw JOSEError(.keyMismatch, "the certificate is for another key than the one that verified", name: "x5c")
    }
    return certificate
  }
}

extension VerifiedJWS {
  /// The first certificate of the header's `x5c`, or nil if there is none. Its key is the one that verified the signature.
  ///
  /// Its chain has not been validated; see ``LeafCertificate``.
  /// - Throws: ``JOSEError/Code/keyMismatch`` if the certificate is for another key, and as ``ProtectedHeader/leafCertificate(limits:)``.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    try header.leafCertificate(for: key, limits: limits)
  }
}

extension VerifiedJWT {
  /// The first certificate of the header's `x5c`; see ``VerifiedJWS/leafCertificate(limits:)``.
  ///
  /// - Throws: as that method.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    try header.leafCertificate(for: key, limits: limits)
  }
}

extension JWK {
  /// The first certificate of the member `x5c`, or nil if there is none. Its key is this one, and `x5t` and `x5t#S256`, where present,
  /// are its thumbprints.
  ///
  /// Reading a JWK looks at none of these members, since nothing here trusts them: many keys live longer than their certificates.
  /// - Throws: ``JOSEError/Code/keyInvalid`` if `x5c` or a thumbprint is wrong, ``JOSEError/Code/keyMismatch`` if the certificate is for
  ///   another key, ``JOSEError/Code/limitExceeded``, and as ``LeafCertificate/init(derRepresentation:)``.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    guard let certificate = try LeafCertificate(of: otherMembers, refusedWith: .keyInvalid, limits: limits) else {
      return nil
    }
    guard certificate.isFor(self) else {
      throw JOSEError(.keyMismatch, "the certificate is for another key", name: "x5c")
    }
    return certificate
  }
}
