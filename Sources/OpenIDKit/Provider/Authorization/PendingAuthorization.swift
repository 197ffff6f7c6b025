import JOSE
import PureCrypto

/// What an ``OpenIDProvider`` does about an authorization request that a browser has brought.
public enum AuthorizationStep: Sendable {
  /// Send this back: the client's answer, a code or an error.
  case answer(HTTPResponseValue)
  /// Redirect the browser to a page of yours that calls ``OpenIDProvider/resume(_:visit:login:after:)`` with this name:
  /// the form of another site came without the cookie of your login, which the redirect brings.
  case goOn(String)
  /// Show the user a page first: ``PendingAuthorization/decision`` says which.
  case ask(PendingAuthorization)
  /// Show an error: nothing may go back to this client, or the request is over.
  case refused(OAuthAuthorizationRequest.Refusal)
}

/// An authorization request that waits while its user answers a page.
public struct PendingAuthorization: Sendable {
  /// Its name, for the page's address or form. Only the browser that brought the request can go on with it. That of a
  /// ``PendingDevice`` is for ``OpenIDProvider/answerDevice(_:login:after:)``.
  public let id: String
  /// The request.
  public let request: OAuthAuthorizationRequest
  /// The client that asks.
  public let client: RegisteredClient
  /// Which page is due: login, a stronger login, or consent. ``AuthorizationDecision/answer`` if none is.
  public let decision: AuthorizationDecision
  /// The claims that the user is asked for one by one, beside the request's scopes.
  public let claims: [String]
  /// The session whose user is asked. A form for consent names it: a user who has logged in since hasn't seen
  /// the page.
  public let sessionID: String?
  /// What to keep as the user's consent, for `SessionDirectory.grantedScopes(userID:clientID:)`, once the user has
  /// agreed: by `SessionRecords.grant(_:userID:clientID:until:)`, say.
  public let agreement: [String]
}

/// What a user has just done on a page, in the browser that a request waits for.
public enum AnsweredPage: Sendable {
  /// Nothing that counts: the browser came with its cookie, say.
  case none
  /// Logged in, for this request.
  case login
  /// Agreed, on a page that was shown to the user of this session.
  case consent(sessionID: String)
  /// Refused.
  case denial

  /// Whether the user of a login has agreed. Who has logged in since the page was shown hasn't seen it.
  func isConsent(of login: BrowserLogin) -> Bool {
    guard case .consent(let sessionID) = self else { return false }
    return WireName(sessionID) == login.session.id
  }
}

extension PendingAuthorization: Redacted {}
