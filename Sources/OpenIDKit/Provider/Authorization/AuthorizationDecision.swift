import JOSE
import StrictJSON

/// What the authorization endpoint does about a request, now.
public enum AuthorizationDecision: Sendable, Hashable {
  /// The client gets a code.
  case answer
  /// The user must log in first, and then the request is judged again.
  case logIn(LoginReason)
  /// The user must log in in this way (`acr`) first, or add to the login what it lacks.
  case stepUp(String)
  /// The user must agree first.
  case consent
  /// The client gets an error.
  case refuse(OAuthAuthorizationRequest.Refusal)

  /// Why the user must log in.
  public enum LoginReason: Sendable, Hashable {
    /// No user is logged in.
    case noLogin
    /// `prompt` is `login` or `select_account`.
    case prompt
    /// The login is older than `max_age`.
    case tooOld
    /// `id_token_hint`, or `sub` among the claims, means another user; or the hint can't be read.
    case otherUser
  }
}

/// The login of the browser that brought a request.
public struct BrowserLogin: Sendable {
  /// Its session, which is active, and whose user is.
  public let session: AuthenticationSession
  /// `sub` of its user towards the client.
  public var subject: String
  /// Whether this user has logged in, into this session, for this very request. Without it, `prompt=login` would ask
  /// again and again.
  public var isForThisRequest = false
  /// What the user has agreed to at this client, as it is now.
  public var agreed: [String] = []
  /// Whether this user has agreed, in this session, to this very request.
  public var hasAgreedNow = false
  /// The kinds of login (`acr`) that this one becomes by a further factor, for which the user is asked until it is
  /// right.
  public var addableContexts: [String] = []
  /// The kinds that the user could reach by logging in anew, which is asked for once.
  public var reachableContexts: [String] = []

  /// A login whose user has not done anything for the request yet. `subject` is the session's user.
  public init(_ session: AuthenticationSession) {
    (self.session, subject) = (session, session.userID)
  }
}

extension OAuthAuthorizationRequest {
  /// Judges what is to be done about the request: the rules of the authorization endpoint, which ask
  /// no store.
  ///
  /// ```swift
  /// switch asked.decision(for: login, needing: asked.scopes, at: clock.now) {
  /// case .answer: return redirect(asked.answerURL(code: try await codes.issue(grant), issuer: issuer))
  /// case .logIn, .stepUp: return loginPage(asked)
  /// case .consent: return consentPage(asked)
  /// case .refuse(let refusal): return redirect(refusal.answerURL(issuer: issuer))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - login: the browser's; nil for none.
  ///   - hintedSubject: `sub` of ``idTokenHint``, once `JWTPolicy.idTokenHint(issuer:clock:)` has accepted it; nil if
  ///     there is no hint, or it is not the provider's.
  ///   - consents: what the user must have agreed to; empty for a client that needs no consent.
  ///   - asksAnew: whether the user is asked each time, as where another program could take the client's address
  ///     (RFC 8252 §8.6).
  ///   - now: by the provider's clock.
  ///
  /// Source: OpenID Connect Core 1.0 §3.1.2.1, §3.1.2.3, §3.1.2.4, §3.1.2.6, §5.5.1.
  public func decision(
    for login: BrowserLogin?, hintedSubject: String? = nil, needing consents: [String], asksAnew: Bool = false,
    at now: NumericDate
  ) -> AuthorizationDecision {
    let isSilent = prompts.wireNames.contains("none")
    func unlessSilent(
      _ decision: AuthorizationDecision, _ code: String, _ reason: String
    ) -> AuthorizationDecision {
      isSilent ? .refuse(refusal(code, reason)) : decision
    }
    if let reason = reasonToLogIn(login, hintedSubject, now) {
      // A user who has logged in as another one for this request would be asked again and again.
      if reason == .otherUser, login?.isForThisRequest == true {
        return .refuse(refusal("login_required", "The expected user must log in, but another one did"))
      }
      return unlessSilent(.logIn(reason), "login_required", "The user must log in")
    }
    guard let login else { return .logIn(.noLogin) }
    let reachable = login.addableContexts + (login.isForThisRequest ? [] : login.reachableContexts)
    switch stepUp(from: login.session.authenticationContext, reachable: isSilent ? [] : reachable) {
    case .notNeeded: break
    case .needed(let context): return .stepUp(context)
    case .unmet:
      return .refuse(
        refusal(isSilent ? "login_required" : "unmet_authentication_requirements", "The client needs a stronger login"))
    }
    let isAgreed = consents.wireNames.allSatisfy(login.agreed.contains)
    guard isAgreed, login.hasAgreedNow || !(asksAnew || prompts.wireNames.contains("consent")) else {
      return unlessSilent(.consent, "consent_required", "The user must agree first")
    }
    return .answer
  }

  /// Why the user must log in, or must have; nil if the login will do.
  private func reasonToLogIn(
    _ login: BrowserLogin?, _ hintedSubject: String?, _ now: NumericDate
  ) -> AuthorizationDecision.LoginReason? {
    guard let login else { return .noLogin }
    let expected = expectedSubjects + (hintedSubject.map { [[$0]] } ?? [])
    let subject = WireName(login.subject)
    guard expected.allSatisfy({ $0.contains(subject) }) else { return .otherUser }
    guard !login.isForThisRequest else { return nil }
    // A hint that can't be verified may mean any user.
    if idTokenHint != nil, hintedSubject == nil { return .otherUser }
    let prompts = prompts.wireNames
    if prompts.contains("login") || prompts.contains("select_account") { return .prompt }
    guard let maximumAge, now > login.session.authenticatedAt.advanced(by: maximumAge) else { return nil }
    return .tooOld
  }

  /// The users that the answer may be about, for each `sub` that `claims` asks for with values.
  private var expectedSubjects: [[String]] {
    ["userinfo", "id_token"].compactMap { place -> [String]? in
      let asked = claims[place]?.objectValue?["sub"]?.objectValue
      if let value = asked?["value"] { return [value.stringValue ?? ""] }
      return (asked?["values"]).map { $0.arrayValue?.compactMap(\.stringValue) ?? [] }
    }
  }
}
