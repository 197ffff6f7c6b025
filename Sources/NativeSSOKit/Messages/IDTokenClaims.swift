import JOSE
import StrictJSON

/// The claims of an ID token that Native SSO reads. The registered ones are JOSE's.
///
/// Source: OpenID Connect Core 1.0 §2, OpenID Connect Native SSO 1.0 §3.4.
struct IDTokenClaims: Sendable {
  let issuer: String
  let subject: String
  let audience: [String]
  let issuedAt: NumericDate
  let expiration: NumericDate
  let deviceSecretHash: String?
  let sessionID: String?

  /// Takes the claims of a token whose signature has been verified.
  ///
  /// - Throws: `ErrorCode.identityTokenInvalid`, naming the claim.
  init(registered: RegisteredClaims, claims: JSONObject) throws(NativeSSOError) {
    issuer = try Self.required(registered.issuer, "iss")
    subject = try Self.required(registered.subject, "sub")
    guard !subject.isEmpty, subject.utf8.count <= 255 else { throw Self.invalid("sub") }
    audience = try Self.required(registered.audience, "aud")
    issuedAt = try Self.required(registered.issuedAt, "iat")
    expiration = try Self.required(registered.expiration, "exp")
    deviceSecretHash = try Self.string(claims, "ds_hash")
    sessionID = try Self.string(claims, "sid")
  }

  private static func required<Value>(_ value: Value?, _ name: String) throws(NativeSSOError) -> Value {
    guard let value else { throw NativeSSOError(.identityTokenInvalid, "a required claim is absent", name: name) }
    return value
  }

  private static func string(_ claims: JSONObject, _ name: String) throws(NativeSSOError) -> String? {
    guard let value = claims[name] else { return nil }
    guard case .string(let text) = value else { throw invalid(name) }
    return text
  }

  static func invalid(_ name: String) -> NativeSSOError {
    NativeSSOError(.identityTokenInvalid, "a claim has a type or value that is not acceptable", name: name)
  }
}
