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
    var error: String? { OAuthAnswer.errorCode(in: response.body) }
    switch response.status {
    case 200:
      guard let object = try? JSONObject(parsing: response.body, limits: limits) else {
        // A captive portal speaks HTML. It is unknown whether the request went on to the server.
        return .failed(RefreshFailure(.noAnswer, retryAfter: retryAfter))
      }
      return outcome(of: object)
    case 400, 401, 403:
      guard let error else { return .failed(RefreshFailure(.unusableAnswer, retryAfter: retryAfter)) }
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
    do throws(TokenResponseFault) {
      return .tokens(try RefreshedTokens(object))
    } catch {
      // It may be the only good one now, whatever the rest of the answer is.
      let refreshToken = try? object.tokenText("refresh_token")
      return .failed(RefreshFailure(.unusableAnswer, newRefreshToken: refreshToken))
    }
  }

  /// Tokens may be long; what is no success is read within less.
  private static let limits = JSONLimits(maximumByteCount: 256 * 1024, maximumDepth: 16, maximumMemberCount: 128)

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
