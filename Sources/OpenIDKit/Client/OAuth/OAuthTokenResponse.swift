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
    read(response, at: WallClock.system.now).outcome
  }

  /// The same for an answer that came at a time, which dates count from if the server does not say its own, with the
  /// object of a successful one, which may have members of another protocol.
  static func read(
    _ response: HTTPResponseValue, at now: NumericDate
  ) -> (outcome: RefreshOutcome, object: JSONObject?) {
    let retryAfter = response.headers.retryAfter(now: now)
    var failure: RefreshFailure
    switch OAuthAnswer.verdict(on: response) {
    case .answer:
      if let object = try? JSONObject(parsing: response.body, limits: OAuthAnswer.limits) {
        return (outcome(of: object), object)
      }
      // A captive portal speaks HTML. It is unknown whether the request went on to the server.
      failure = RefreshFailure(.noAnswer, retryAfter: retryAfter)
      failure.fault = .malformed
    case .refused(let code): failure = Self.failure(code, nonce: response.headers.values("DPoP-Nonce").first)
    case .busy: failure = RefreshFailure(.serverBusy, retryAfter: retryAfter)
    case .unusable: failure = RefreshFailure(.unusableAnswer, retryAfter: retryAfter)
    // A fault may have come after the rotation, a redirect from a portal before the server; redirects are never
    // followed.
    case .unanswered: failure = RefreshFailure(.noAnswer, retryAfter: retryAfter)
    }
    return (.failed(failure), nil)
  }

  /// What the JSON object of a successful answer means.
  public static func outcome(of object: JSONObject) -> RefreshOutcome {
    do throws(TokenResponseFault) {
      return .tokens(try RefreshedTokens(object))
    } catch {
      // It may be the only good one now, whatever the rest of the answer is.
      let refreshToken = try? object.tokenText("refresh_token")
      var failure = RefreshFailure(.unusableAnswer, newRefreshToken: refreshToken)
      failure.fault = error
      return .failed(failure)
    }
  }

  private static func failure(_ error: WireName, nonce: String?) -> RefreshFailure {
    switch error {
    case "invalid_grant": return RefreshFailure(.invalidGrant)
    case "invalid_scope": return RefreshFailure(.invalidScope)
    case "login_required", "interaction_required": return RefreshFailure(.loginRequired)
    default: break
    }
    if error == "use_dpop_nonce", let nonce { return RefreshFailure(.dpopNonceRequired(nonce)) }
    return RefreshFailure(.misconfigured(OAuthErrorName.registered(error.text)))
  }
}
