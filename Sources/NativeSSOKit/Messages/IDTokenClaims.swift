import JOSE
import StrictJSON

/// The claims of an ID token that Native SSO reads, after JOSE's rules have been kept.
///
/// Source: OpenID Connect Core 1.0 §2, OpenID Connect Native SSO 1.0 §3.4.
struct IDTokenClaims: Sendable {
  let issuer: WireName
  let subject: WireName
  let audience: [WireName]
  let issuedAt: NumericDate
  let expiration: NumericDate
  let deviceSecretHash: String?
  /// The token's `alg`, on which that may depend.
  let algorithm: String
  let sessionID: WireName?
  /// `auth_time` and `acr` of the login.
  let (authenticationTime, authenticationContext): (NumericDate?, String?)

  /// - Throws: `ErrorCode.identityTokenInvalid`, naming the claim.
  init(_ verified: VerifiedJWT<JSONObject>) throws(JOSEError) {
    let registered = verified.registeredClaims
    issuer = try Self.required(registered.issuerName, "iss")
    subject = try Self.required(registered.subjectName, "sub")
    audience = try Self.required(registered.audience, "aud").wireNames
    issuedAt = try Self.required(registered.issuedAt, "iat")
    expiration = try Self.required(registered.expiration, "exp")
    deviceSecretHash = verified.claims["ds_hash"]?.stringValue
    algorithm = verified.header.algorithm
    sessionID = verified.claims["sid"]?.nameValue
    authenticationTime = verified.claims["auth_time"]?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
    authenticationContext = verified.claims["acr"]?.stringValue
  }

  private static func required<Value>(_ value: Value?, _ name: String) throws(JOSEError) -> Value {
    guard let value else { throw JOSEError(.identityTokenInvalid, "a required claim is absent", name: name) }
    return value
  }

  static func invalid(_ name: String) -> JOSEError {
    JOSEError(.identityTokenInvalid, "a claim has a type or value that is not acceptable", name: name)
  }
}
