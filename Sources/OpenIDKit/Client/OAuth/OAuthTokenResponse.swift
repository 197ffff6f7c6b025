import JOSE
import StrictJSON

/// Reads answers of a token endpoint and judges what they mean for the refresh token.
///
/// Source: RFC 6749 §5.1, §5.2.
public enum OAuthTokenResponse {
  /// What an answer means.
  ///
  /// Adapters for other protocols can use ``outcome(of:)-(JSONObject)`` on the answer that they have opened.
  public static func outcome(of response: HTTPResponseValue) -> RefreshOutcome {
    outcome(of: response, at: WallClock.system.now)
  }

  /// The same for an answer that came at a time, which dates count from if the server does not say its own.
  package static func outcome(of response: HTTPResponseValue, at now: NumericDate) -> RefreshOutcome {
    let retryAfter = response.headers.retryAfter(now: now.secondsSince1970)
    let object = try? JSONObject(parsing: response.body, limits: limits)
    let error = object?["error"]?.stringValue
    switch response.status {
    case 200:
      guard let object else {
        // A captive portal speaks HTML. Whether the request went on to the server nobody knows.
        return .failed(RefreshFailure(.noAnswer, retryAfter: retryAfter))
      }
      return outcome(of: object)
    case 400, 401, 403:
      // A gateway's page has words there: `"error": "Forbidden"`.
      guard let error, isCode(error) else { return .failed(RefreshFailure(.unusableAnswer, retryAfter: retryAfter)) }
      return .failed(failure(error: error, nonce: response.headers.values("DPoP-Nonce").first, retryAfter))
    case 429:
      return .failed(RefreshFailure(.serverBusy, retryAfter: retryAfter))
    default:
      if let error, isBusy(error) { return .failed(RefreshFailure(.serverBusy, retryAfter: retryAfter)) }
      // A fault may have come after the rotation, a redirect from a portal before the server; redirects are never
      // followed.
      return .failed(RefreshFailure(.noAnswer, retryAfter: retryAfter))
    }
  }

  /// What the JSON object of a successful answer means.
  public static func outcome(of object: JSONObject) -> RefreshOutcome {
    let refreshToken = object["refresh_token"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    // Both are going to stand in a header field.
    guard let accessToken = object["access_token"]?.stringValue, OAuthAnswer.isHeaderText(accessToken),
      let tokenType = object["token_type"]?.stringValue, OAuthAnswer.isHeaderText(tokenType)
    else { return .failed(RefreshFailure(.unusableAnswer, newRefreshToken: refreshToken)) }
    return .tokens(
      RefreshedTokens(
        accessToken: accessToken, tokenType: tokenType, expiresIn: object["expires_in"].flatMap(OAuthAnswer.seconds),
        refreshToken: refreshToken,
        refreshTokenExpiresIn: object["refresh_token_expires_in"].flatMap(OAuthAnswer.seconds),
        scope: object["scope"]?.stringValue, idToken: object["id_token"]?.stringValue))
  }

  private static let limits = JSONLimits(maximumByteCount: 256 * 1024, maximumDepth: 16, maximumMemberCount: 128)

  /// Whether an error is named as OAuth's are, which are all in lower case.
  private static func isCode(_ error: String) -> Bool {
    !error.isEmpty
      && error.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "_-.:/".utf8.contains(byte)
      }
  }

  private static func isBusy(_ error: String) -> Bool {
    ["temporarily_unavailable", "server_error", "slow_down"].contains { $0.hasSameBytes(as: error) }
  }

  private static func failure(error: String, nonce: String?, _ retryAfter: Double?) -> RefreshFailure {
    if error.hasSameBytes(as: "invalid_grant") { return RefreshFailure(.invalidGrant) }
    if error.hasSameBytes(as: "invalid_scope") { return RefreshFailure(.invalidScope) }
    if ["login_required", "interaction_required"].contains(where: { $0.hasSameBytes(as: error) }) {
      return RefreshFailure(.loginRequired)
    }
    if isBusy(error) { return RefreshFailure(.serverBusy, retryAfter: retryAfter) }
    if error.hasSameBytes(as: "use_dpop_nonce"), let nonce { return RefreshFailure(.dpopNonceRequired(nonce)) }
    return RefreshFailure(.misconfigured(OAuthErrorName.registered(error)))
  }
}
