import JOSE
import NativeSSOKit
import OpenIDKit

/// Access tokens by RFC 9068.
struct AccessTokens: Sendable {
  let issuer: String
  let key: SigningKey
  let clock: WallClock

  /// A token for the requested resources, or for the provider's own API.
  func token(for grant: RefreshGrant, scope: [String], resources: [String]) throws -> String {
    let now = clock.now
    let claims: JSONObject = [
      "iss": .string(issuer), "sub": .string(grant.subject),
      "aud": .array((resources.isEmpty ? [issuer + "/api"] : resources).map { .string($0) }),
      "client_id": .string(grant.clientID), "iat": .number(JSONNumber(now.wholeSeconds)),
      "exp": .number(JSONNumber(now.advanced(by: .seconds(3600)).wholeSeconds)),
      "jti": .string(DeviceSecret.random().reveal()),
      "scope": .string(scope.joined(separator: " ")),
    ]
    return try JWT.sign(claims, with: key, type: "at+jwt")
  }
}
