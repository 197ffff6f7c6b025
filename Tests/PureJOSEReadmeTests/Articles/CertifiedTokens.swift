import JOSE

/// Tokens whose header brings the certificates of the key that signed them.
struct CertifiedTokens {
  let trust: CertificateTrust

  /// - Parameter roots: the authorities' own certificates, from the program's configuration.
  init(roots: String) throws {
    trust = try CertificateTrust(pemRoots: roots, purpose: .signature)
  }

  func payload(of token: String) throws -> [UInt8] {
    let chain = try trust.validate(UnverifiedJWS(parsing: token).unverifiedHeader)
    return try JWS.verify(token, with: VerificationKey(chain.publicKey, algorithm: .es256)).payload
  }
}
