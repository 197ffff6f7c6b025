/// The claims of a JWT whose signature has been verified and whose claims satisfy a policy. Only verification makes a value of this type.
public struct VerifiedJWT<Claims> {
  /// The claims.
  public let claims: Claims

  /// The registered claims.
  public let registeredClaims: RegisteredClaims

  /// The protected header.
  public let header: ProtectedHeader

  /// The key that verified the signature.
  public let key: VerificationKey

  init(claims: Claims, registeredClaims: RegisteredClaims, header: ProtectedHeader, key: VerificationKey) {
    self.claims = claims
    self.registeredClaims = registeredClaims
    self.header = header
    self.key = key
  }
}

extension VerifiedJWT: Sendable where Claims: Sendable {}
