import JOSE
import JOSEHTTP
import NativeSSO
import TokenRefresh

/// An authorization request that may be answered by a redirect.
struct AuthorizationRequest: Sendable {
  let clientID: String
  let redirectURI: String
  let state: String
  let scopes: [String]
  let nonce: String?
  let challenge: String

  /// Nil for a request that must not be answered by a redirect: an unknown client, or an address that is not its own.
  init?(_ fields: FormFields, client: RegisteredClient?) {
    guard let client, fields.values("response_type") == ["code"], fields.values("code_challenge_method") == ["S256"],
      let redirectURI = try? fields.requiredValue("redirect_uri"), client.redirectURIs.contains(redirectURI),
      let state = try? fields.requiredValue("state"), let challenge = try? fields.requiredValue("code_challenge")
    else { return nil }
    let asked = fields.values("scope").first?.split(separator: " ").map(String.init) ?? []
    scopes = asked.filter { client.allowedScopes.contains($0) || (client.nativeSSOEnabled && $0 == "device_sso") }
    guard scopes.contains("openid") else { return nil }
    (clientID, nonce) = (client.id, fields.values("nonce").first)
    (self.redirectURI, self.state, self.challenge) = (redirectURI, state, challenge)
  }
}

/// What a code stands for, for a minute.
struct AuthorizationCode: Sendable {
  let request: AuthorizationRequest
  let sessionID: String
  let expiration: NumericDate
}

/// Values under names that nobody can guess. A database, where there are several machines.
actor OneTimeStore<Value: Sendable> {
  private var values: [String: Value] = [:]

  func insert(_ value: Value) -> String {
    let name = DeviceSecret.random().reveal()
    values[name] = value
    return name
  }

  func take(_ name: String) -> Value? { values.removeValue(forKey: name) }

  func value(_ name: String) -> Value? { values[name] }
}

/// Access tokens after RFC 9068.
struct AccessTokens: Sendable {
  let issuer: String
  let key: SigningKey
  let clock: WallClock

  func token(for grant: RefreshGrant, scope: [String]) throws -> String {
    let now = clock.now
    let claims: JSONObject = [
      "iss": .string(issuer), "sub": .string(grant.subject), "aud": .string(issuer + "/api"),
      "client_id": .string(grant.clientID), "iat": .number(JSONNumber(now.wholeSeconds)),
      "exp": .number(JSONNumber(now.advanced(by: 3600).wholeSeconds)), "jti": .string(DeviceSecret.random().reveal()),
      "scope": .string(scope.joined(separator: " ")),
    ]
    return try JWT.sign(claims, with: key, type: "at+jwt")
  }
}
