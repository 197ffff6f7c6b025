import StrictJSON

/// The claims of an ``SDJWT`` whose signature and disclosures have been verified and whose claims satisfy a policy.
/// Only verification makes a value of this type.
public struct VerifiedSDJWT<Claims> {
  /// The claims that the issuer vouches for, as far as the holder has shown them.
  public let claims: Claims

  /// Where claims stand that the holder could have kept.
  public let disclosedPaths: [ClaimPath]

  /// The claims of the holder's proof, `transaction_data_hashes` among them; nil unless the policy requires one.
  public let keyBinding: VerifiedJWT<JSONObject>?

  let origin: TokenOrigin

  /// The claims that RFC 7519 registers.
  public var registeredClaims: RegisteredClaims { origin.registeredClaims }

  /// The protected header of the issuer's token.
  public var header: ProtectedHeader { origin.header }

  /// The issuer's key.
  public var key: VerificationKey { origin.key }
}

extension VerifiedSDJWT: Sendable where Claims: Sendable {}
