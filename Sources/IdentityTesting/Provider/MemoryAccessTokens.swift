import JOSE
import NativeSSOKit
import OpenIDKit

/// The access tokens of a provider in memory: they name the family of refresh tokens that they end with.
///
/// Source: RFC 9068.
struct MemoryAccessTokens: Sendable {
  let issuer: String
  let keys: IssuerKeys
  let clock: WallClock

  private static let familyClaim = "family"

  /// A token that lives for an hour.
  func token(for grant: RefreshGrant, _ family: RefreshTokenFamily.ID?) throws -> String {
    var claims = JWTClaims.accessToken(
      issuer: issuer, audience: Audience([issuer]), subject: grant.subject, clientID: grant.clientID,
      scope: grant.scope.joined(separator: " "), lifetime: .seconds(3600))
    claims.clock = clock
    if let family { try claims.set(Self.familyClaim, to: family.text) }
    return try JWT.sign(claims, with: keys.signing)
  }

  /// The family of a token; nil for a token that is not good, or has none.
  func family(of token: String) -> RefreshTokenFamily.ID? {
    let verifier = JWTVerifier(
      keys: keys.verification, algorithms: [keys.signing.algorithm],
      policy: .accessToken(issuer: issuer, audience: issuer, clock: clock))
    return (try? verifier.verify(token).claims[Self.familyClaim]?.stringValue).flatMap {
      RefreshTokenFamily.ID(text: $0)
    }
  }
}
