import JOSE
import StrictJSON

/// An access token of a provider that is to be issued: what its own endpoints, and resource servers, read of it.
///
/// Source: RFC 9068 §2.
struct AccessTokenDraft {
  /// What it is for.
  let grant: RefreshGrant
  /// `sub`, as the client knows the user.
  let subject: String
  /// `aud`.
  let audience: [String]
  /// `scope`.
  let scope: [String]
  /// From `iat` to `exp`.
  let lifetime: Duration
  /// The family of refresh tokens that it ends with.
  var family: RefreshTokenFamily.ID?
  /// The generation of that family, where the next one ends the token.
  var generation: UInt64?
  /// The name of the consent that it needs.
  var consent: String?
  /// The claims that the userinfo endpoint was asked for by name.
  var userInfo: [String] = []
  /// The thumbprint of the key that it is bound to.
  var confirmation: String?

  /// - Parameter statuses: give the token a place in their list.
  /// - Throws: what the store throws, and as ``JOSE/JWT/sign(_:with:type:header:)``.
  func signed(
    by issuer: String, with key: SigningKey, clock: WallClock, statuses: AccessTokenStatuses?
  ) async throws -> String {
    var claims = JWTClaims.accessToken(
      issuer: issuer, audience: Audience(audience), subject: subject, clientID: grant.clientID,
      scope: scope.joined(separator: " "), lifetime: lifetime)
    claims.clock = clock
    if let time = grant.authenticationTime { try claims.set("auth_time", to: .number(JSONNumber(time.wholeSeconds))) }
    if let context = grant.authenticationContext { try claims.set("acr", to: .string(context)) }
    if let session = grant.sessionID { try claims.set("sid", to: .string(session)) }
    if let family { try claims.set(AccessTokenClaims.family, to: .string(family.text)) }
    if let generation { try claims.set(AccessTokenClaims.generation, to: .number(JSONNumber(generation))) }
    if let id = grant.grantID { try claims.set(AccessTokenClaims.grant, to: .string(id)) }
    if let consent { try claims.set(AccessTokenClaims.consent, to: .string(consent)) }
    if !userInfo.isEmpty { try claims.set(AccessTokenClaims.userInfo, to: .array(userInfo.map { .string($0) })) }
    if let confirmation { try claims.set("cnf", to: ["jkt": .string(confirmation)]) }
    guard let statuses else { return try JWT.sign(claims, with: key) }
    var issued = try claims.issued()
    let place = try await statuses.place(for: issued, until: clock.now.advanced(by: lifetime))
    issued["status"] = place.claim
    return try JWT.sign(issued, with: key, type: claims.type)
  }
}

/// What an access token of the provider's own says, once it has been verified.
package struct AccessTokenClaims: Sendable {
  static let (family, generation, grant) = ("family", "generation", "grant")
  static let (consent, userInfo) = ("consent", "userinfo")

  package let subject: String
  package let clientID: WireName
  package let scopes: [String]
  package let audience: [String]
  package let claims: JSONObject

  init?(_ token: VerifiedJWT<JSONObject>) {
    self.init(token.claims, audience: token.registeredClaims.audience ?? [])
  }

  /// - Parameter audience: `aud`; not needed where only the status is asked for.
  init?(_ claims: JSONObject, audience: [String] = []) {
    guard let subject = claims["sub"]?.stringValue, let client = claims["client_id"]?.nameValue else { return nil }
    (self.subject, clientID, self.claims) = (subject, client, claims)
    scopes = claims["scope"]?.stringValue?.words ?? []
    self.audience = audience
  }

  package subscript(name: String) -> WireName? { claims[name]?.nameValue }

  /// Whether it is its client's for itself, and no user's.
  var isMachine: Bool { subject.utf8.elementsEqual(OpenIDProvider.machineSubject(of: clientID.text).utf8) }

  /// The key that it is bound to.
  package var keyThumbprint: String? { claims["cnf"]?.objectValue?["jkt"]?.stringValue }
}
