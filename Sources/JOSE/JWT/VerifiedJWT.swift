/// The claims of a JWT whose signature has been verified and whose claims satisfy a policy. Only verification makes a value of this type.
public struct VerifiedJWT<Claims> {
  /// The claims.
  public let claims: Claims

  let origin: TokenOrigin

  /// The registered claims.
  public var registeredClaims: RegisteredClaims { origin.registeredClaims }

  /// The protected header.
  public var header: ProtectedHeader { origin.header }

  /// The key that verified the signature.
  public var key: VerificationKey { origin.key }

  init(claims: consuming Claims, origin: consuming TokenOrigin) {
    self.claims = claims
    self.origin = origin
  }
}

/// What is known of a token beside its claims: one value, handed on as a whole, for its parts hold a dozen references.
struct TokenOrigin: Sendable {
  let registeredClaims: RegisteredClaims
  let header: ProtectedHeader
  let key: VerificationKey
}

extension VerifiedJWT: Sendable where Claims: Sendable {}
