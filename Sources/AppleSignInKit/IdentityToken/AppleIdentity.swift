import PureCrypto
import JOSE
import StrictJSON

/// Who has signed in, from an identity token whose signature and claims have been verified. Only verification makes a
/// value of this type.
public struct AppleIdentity: Sendable, Hashable {
  /// `sub`: the user's name for ever, for all apps of one team. The key to look up accounts by, together with the team.
  public let subject: String
  /// `aud`: which of the accepted client identifiers the token is for.
  public let audience: String
  /// When Apple issued the token (`iat`).
  public let issuedAt: NumericDate
  /// When the token ends (`exp`); the identity stays.
  public let expiration: NumericDate
  /// `email`: real or relayed. It may change: never a key.
  public let email: String?
  /// `email_verified`. False if absent.
  public let isEmailVerified: Bool
  /// `is_private_email`: whether the address is a relay of Apple's. False if absent.
  public let isPrivateEmail: Bool
  /// `nonce_supported`, if it is there.
  public let isNonceSupported: Bool?
  /// `real_user_status`, if it is there.
  public let realUserStatus: AppleRealUserStatus?
  /// `transfer_sub`: the user's name at the team that the app is being transferred to.
  public let transferSubject: String?
  /// `auth_time`: when the user authenticated.
  public let authenticationTime: NumericDate?
  /// `org_id`, of managed accounts.
  public let organizationID: String?

  /// Whether this is the user of another token, by `sub`, which is compared as bytes.
  func isAbout(_ subject: String) -> Bool { WireName(self.subject) == subject }

  /// - Throws: `ErrorCode.claimInvalid`, and `ErrorCode.claimMismatch` for a token
  ///   that names several audiences.
  init(_ verified: VerifiedJWT<JSONObject>) throws(JOSEError) {
    let (claims, registered) = (verified.claims, verified.registeredClaims)
    guard let subject = registered.subject, let audience = registered.audience, audience.count == 1,
      let issuedAt = registered.issuedAt, let expiration = registered.expiration
    else { throw JOSEError(.claimMismatch, "the token is for more than one audience", name: "aud") }
    (self.subject, self.audience, self.issuedAt, self.expiration) = (subject, audience[0], issuedAt, expiration)
    email = try claims.optionalClaim("email", \.stringValue)
    if let value = claims["email_verified"] {
      guard let verified = AppleBoolean.read(value) else { throw Self.invalid("email_verified") }
      isEmailVerified = verified
    } else {
      isEmailVerified = false
    }
    isPrivateEmail = claims["is_private_email"].flatMap(AppleBoolean.read) ?? false
    isNonceSupported = claims["nonce_supported"].flatMap(AppleBoolean.read)
    realUserStatus = claims["real_user_status"]?.int64Value.map { AppleRealUserStatus($0) }
    transferSubject = try claims.optionalClaim("transfer_sub", \.stringValue)
    let authenticated = try claims.optionalClaim("auth_time", \.doubleValue)
    authenticationTime = authenticated.flatMap { NumericDate(secondsSince1970: $0) }
    organizationID = claims["org_id"]?.stringValue
  }

  private static func invalid(_ name: String) -> JOSEError {
    JOSEError(.claimInvalid, "a claim has an illegal type or value", name: name)
  }
}

extension AppleIdentity: Redacted {}

extension JSONObject {
  /// A claim that must have its type if it is present. `null` is as good as no claim.
  ///
  /// - Throws: `ErrorCode.claimInvalid`.
  func optionalClaim<Value>(
    _ name: String, _ read: (JSONValue) -> Value?
  ) throws(JOSEError) -> Value? {
    guard let value = self[name], !value.isNull else { return nil }
    guard let claim = read(value) else {
      throw JOSEError(.claimInvalid, "a claim has an illegal type or value", name: name)
    }
    return claim
  }
}
