/// The claims of a JWT that is encrypted and not signed, once they satisfy a policy. Only ``EncryptedJWTVerifier``
/// makes a value of this type.
///
/// It says as much about its sender as the key does: with a shared secret, that a holder of the secret made it; with a
/// public key, nothing.
public struct DecryptedJWT<Claims> {
  /// The claims. Decryption alone does not say who wrote them.
  public let claims: Claims

  /// The claims that RFC 7519 registers, read apart from ``claims``, whatever its type.
  public let registeredClaims: RegisteredClaims

  /// The protected header.
  public let header: ProtectedHeader

  init(claims: Claims, registeredClaims: RegisteredClaims, header: ProtectedHeader) {
    self.claims = claims
    self.registeredClaims = registeredClaims
    self.header = header
  }
}

extension DecryptedJWT: Sendable where Claims: Sendable {}
