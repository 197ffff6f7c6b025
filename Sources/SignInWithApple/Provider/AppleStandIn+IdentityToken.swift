import JOSEHTTP
import JOSE
import StrictJSON

extension AppleStandIn {
  /// An identity token for a user of a client.
  func identityToken(
    _ user: AppleStandInUser, _ client: AppleStandInClient, nonce: String?, further: JSONObject
  ) -> String? {
    let now = clock.now.wholeSeconds
    var claims: JSONObject = [
      "iss": .string(service.issuer), "aud": .string(client.clientID), "exp": .number(JSONNumber(now + 86_400)),
      "iat": .number(JSONNumber(now)), "sub": .string(user.subject(teamID: client.teamID)),
    ]
    if let nonce { claims["nonce"] = .string(nonce) }
    for (name, value) in further.members { claims[name] = value }
    if let consent = consents[client.consentKey(user)], consent.scopes.contains(.email) {
      claims["email"] = .string(user.sharedAddress(teamID: client.teamID, isRelay: consent.sharesRelayAddress))
      claims["email_verified"] = boolean(true)
      // Absent when it would be false.
      if consent.sharesRelayAddress { claims["is_private_email"] = boolean(true) }
    }
    claims["auth_time"] = .number(JSONNumber(now))
    claims["nonce_supported"] = .bool(true)
    return try? JWT.sign(claims, with: signingKey, type: nil)
  }

  private func boolean(_ value: Bool) -> JSONValue {
    writesBooleansAsText ? .string(value ? "true" : "false") : .bool(value)
  }

  /// The request that notifies a client's server of an event.
  ///
  /// - Parameters:
  ///   - type: `consent-revoked`, `account-delete`, `email-disabled` or `email-enabled`.
  ///   - user: named as the client's team knows the user.
  ///   - client: becomes `aud`.
  ///   - url: of the client's server. Nothing is sent there: that is the caller's to do.
  /// - Throws: ``SignInWithAppleErrorCode/externalKeyFailed``.
  public func notification(
    _ type: String, of user: AppleStandInUser, to client: AppleStandInClient, url: String
  ) throws(SignInWithAppleError) -> HTTPRequestValue {
    let now = clock.now
    let event: JSONObject = [
      "type": .string(type), "sub": .string(user.subject(teamID: client.teamID)),
      "event_time": .number(JSONNumber(Int64(now.secondsSince1970 * 1000))),
    ]
    let claims: JSONObject = [
      "iss": .string(service.issuer), "aud": .string(client.clientID),
      "exp": .number(JSONNumber(now.wholeSeconds + 86_400)), "iat": .number(JSONNumber(now.wholeSeconds)),
      "jti": .string(random.token()),
      // JSON text in a string, as Apple has it.
      "events": .string(String(decoding: event.serialized(), as: UTF8.self)),
    ]
    let token = try reportingJOSE { () throws(JOSEError) in try JWT.sign(claims, with: signingKey, type: nil) }
    let body: JSONObject = ["payload": .string(token)]
    return HTTPRequestValue(
      method: "POST", url: url, headers: HTTPHeaderFields(known: [("Content-Type", "application/json")]),
      body: body.serialized())
  }
}
