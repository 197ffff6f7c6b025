import JOSE
import StrictJSON

extension OpenedLoginResponse {
  /// The tokens as a token response of OAuth 2.0 (RFC 6749 §5.1).
  ///
  /// The access token is the member `access_token` if the provider sends one, and else the `id_token`, which is what
  /// apps get from Platform SSO. Without `expires_in` it lasts as long as the `id_token` from `now` on.
  public func tokenResponse(at now: NumericDate) -> JSONObject {
    var object: JSONObject = [
      "access_token": .string(response.additional["access_token"]?.stringValue ?? response.idToken),
      "token_type": .string(response.tokenType ?? "Bearer"), "refresh_token": .string(response.refreshToken),
      "expires_in": .number(
        JSONNumber(
          response.expiresIn?.wholeSeconds
            ?? max(1, (idToken.registeredClaims.expiration ?? now).wholeSeconds - now.wholeSeconds))),
      "id_token": .string(response.idToken),
    ]
    if let seconds = response.refreshTokenExpiresIn?.wholeSeconds {
      object["refresh_token_expires_in"] = .number(JSONNumber(seconds))
    }
    if let scope = response.additional["scope"]?.stringValue { object["scope"] = .string(scope) }
    return object
  }
}
