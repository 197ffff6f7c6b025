import JOSE
import StrictJSON

/// How a request for tokens ended: a refresh, or another grant.
public enum RefreshOutcome: Sendable {
  /// The server issued new tokens. What it says of a refresh token replaces the old one.
  case tokens(TokenAnswer)
  /// Without usable tokens.
  case failed(RefreshFailure)
}

/// What answers of a token endpoint mean for the refresh token.
///
/// Source: RFC 6749 §5.1, §5.2.
extension RefreshOutcome {
  /// What an answer means.
  ///
  /// Adapters for other protocols can use ``init(of:)-(JSONObject)`` on the answer that they have opened.
  public init(of response: HTTPResponseValue) { self = Self.read(response, at: WallClock.system.now).outcome }

  /// What the JSON object of a successful answer means.
  public init(of object: JSONObject) {
    do throws(TokenResponseFault) {
      self = .tokens(try TokenAnswer(object))
    } catch {
      // It may be the only good one now, whatever the rest of the answer is.
      self = .unusable(error, newRefreshToken: try? object.tokenText("refresh_token"))
    }
  }

  /// What an answer means that came at a time, which dates count from if the server does not say its own, with the
  /// object of a successful one, which may have members of another protocol.
  static func read(
    _ response: HTTPResponseValue, at now: NumericDate
  ) -> (outcome: RefreshOutcome, object: JSONObject?) {
    let retryAfter = response.headers.retryAfter(now: now)
    var failure: RefreshFailure
    switch OAuthAnswer.verdict(on: response) {
    case .answer:
      if let object = try? JSONObject(parsing: response.body, limits: OAuthAnswer.limits) {
        return (RefreshOutcome(of: object), object)
      }
      // A captive portal speaks HTML. It is unknown whether the request went on to the server.
      failure = RefreshFailure(.noAnswer, retryAfter: retryAfter)
      failure.fault = .malformed
    case .refused(let code): failure = Self.failure(code, nonce: response.dpopNonce)
    case .busy: failure = RefreshFailure(.serverBusy, retryAfter: retryAfter)
    case .unusable: failure = RefreshFailure(.unusableAnswer, retryAfter: retryAfter)
    // A fault may have come after the rotation, a redirect from a portal before the server; redirects are never
    // followed.
    case .unanswered: failure = RefreshFailure(.noAnswer, retryAfter: retryAfter)
    }
    return (.failed(failure), nil)
  }

  /// The outcome, unless it is tokens of another type than was asked for. Without the key, any finder could use those
  /// that should be bound to it; those that are bound to a key can't be used without it.
  ///
  /// Source: RFC 9449 §5.
  func requiring(isBound: Bool) -> RefreshOutcome {
    guard case .tokens(let tokens) = self, !tokens.isType(bound: isBound) else { return self }
    return .unusable(.otherType, newRefreshToken: tokens.refreshToken)
  }

  private static func unusable(_ fault: TokenResponseFault, newRefreshToken: String?) -> RefreshOutcome {
    var failure = RefreshFailure(.unusableAnswer, newRefreshToken: newRefreshToken)
    failure.fault = fault
    return .failed(failure)
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
