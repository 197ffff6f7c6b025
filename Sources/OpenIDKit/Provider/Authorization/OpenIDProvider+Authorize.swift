import JOSE
import StrictJSON

/// The authorization endpoint; its pages are the server's.
///
/// Source: OpenID Connect Core 1.0 §3.1.2, RFC 9126, RFC 9207.
extension OpenIDProvider {
  /// Judges an authorization request that a browser has brought.
  ///
  /// ```swift
  /// switch try await provider.authorize(request, visit: visit, login: login, from: address) {
  /// case .answer(let response): return response
  /// case .goOn(let id): return redirect("/continue?request=\(id)")
  /// case .ask(let pending): return page(for: pending)
  /// case .refused(let refusal): return errorPage(refusal)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - request: a GET with a query, or a POST of a form.
  ///   - visit: a random name in a cookie of this browser, which your server sets before any login.
  ///   - login: the login of its cookie; nil for none. Whether session and user are active, what the user has done for
  ///     the request, and what is agreed to, the provider asks itself.
  ///   - source: where the request comes from, for limits.
  /// - Throws: `ErrorCode.storeUnavailable`: answer 503; nothing is used up. `ErrorCode.tooManyRequests` of a directory
  ///   of clients: answer 429.
  public func authorize(
    _ request: HTTPRequestValue, visit: String, login: BrowserLogin?, from source: String
  ) async throws(OpenIDError) -> AuthorizationStep {
    guard var fields = try? OAuthAuthorizationRequest.parameters(of: request) else {
      return .refused(.unanswerable("invalid_request", "The request can't be read"))
    }
    var isPushed = false
    if let reference = fields.values("request_uri").first, PushedAuthorizationEndpoint.isReference(reference) {
      let clientID = fields.values("client_id").first ?? ""
      guard let pushed = try await pushedRequests(from: source).take(reference, clientID: clientID) else {
        return .refused(.unanswerable("invalid_request_uri", "The request has expired, or was used before"))
      }
      (fields, isPushed) = (pushed, true)
    }
    let isPost = request.hasMethod("POST")
    var waiting = PendingRequest(fields, isPushed: isPushed, visit: isPost ? nil : PendingRequests.hash(visit))
    return try await refusing { () async throws -> AuthorizationStep in
      let (asked, client) = try await authorizationRequest(fields, isPushed: isPushed)
      waiting.client = client.snapshotName
      guard isPost else {
        return try await step(asked, of: client, waiting, login) { try await keep(waiting, from: source) }
      }
      // A form that another site posts comes without the session's cookie; a redirect brings it.
      return .goOn(try await keep(waiting, from: source))
    }
  }

  /// Goes on with a request that waits, once its user has answered a page. Two pages that continue one request give one
  /// code.
  ///
  /// - Parameters:
  ///   - id: ``PendingAuthorization/id``.
  ///   - visit: as in ``authorize(_:visit:login:from:)``.
  ///   - login: the login that the browser has now.
  ///   - page: what the user has done. The form's own token against other sites is your server's.
  /// - Throws: `ErrorCode.storeUnavailable`: answer 503; nothing is used up. `ErrorCode.tooManyRequests` of a directory
  ///   of clients: answer 429.
  public func resume(
    _ id: String, visit: String, login: BrowserLogin?, after page: AnsweredPage
  ) async throws(OpenIDError) -> AuthorizationStep {
    guard var waiting = try await waiting(id, visit, login, page) else { return .refused(.over) }
    return try await refusing { () async throws -> AuthorizationStep in
      let (asked, client) = try await authorizationRequest(waiting.parameters, isPushed: waiting.isPushed)
      let snapshot = client.snapshotName
      if waiting.client != snapshot {
        // Who has agreed to what a document said before is asked about what it says now.
        let renewed = try await pendingRequests.request(id, visit: visit) { request in
          (request.client, request.consented) = (snapshot, nil)
        }
        guard let renewed else { return .refused(.over) }
        waiting = renewed
      }
      if case .denial = page {
        guard try await pendingRequests.remove(id) else { return .refused(.over) }
        throw asked.refusal("access_denied", "The user denied the request")
      }
      return try await step(asked, of: client, waiting, login, id: id) { id }
    }
  }

  /// A request that waits, for a page about it; nil if it is over, or another browser's.
  ///
  /// - Parameters:
  ///   - id: ``PendingAuthorization/id``.
  ///   - visit: as in ``authorize(_:visit:login:from:)``.
  ///   - login: the login that the browser has now.
  ///   - page: what the user has done, where another page comes before ``resume(_:visit:login:after:)``.
  /// - Throws: `ErrorCode.storeUnavailable`: answer 503.
  public func pending(
    _ id: String, visit: String, login: BrowserLogin?, after page: AnsweredPage = .none
  ) async throws(OpenIDError) -> PendingAuthorization? {
    guard let waiting = try await waiting(id, visit, login, page) else { return nil }
    return try await OpenIDError.asking {
      do {
        let (asked, client) = try await authorizationRequest(waiting.parameters, isPushed: waiting.isPushed)
        return try await judged(asked, of: client, waiting, login, id: id)
      } catch is OAuthAuthorizationRequest.Refusal {
        return nil
      }
    }
  }

  // MARK: Steps

  private var pendingRequests: PendingRequests { PendingRequests(records: records, clock: clock) }

  /// Who has answered a page: answers of another user or another session are ignored.
  static func party(_ login: BrowserLogin) -> WireName { "\(login.session.userID) \(login.session.id)" }

  /// The request that waits, with what the user has done noted.
  private func waiting(
    _ id: String, _ visit: String, _ login: BrowserLogin?, _ page: AnsweredPage
  ) async throws(OpenIDError) -> PendingRequest? {
    let party = login.map(Self.party)
    return try await pendingRequests.request(id, visit: visit) { request in
      if case .login = page { request.loggedIn = party }
      if let login, page.isConsent(of: login) { request.consented = party }
    }
  }

  private func keep(_ waiting: PendingRequest, from source: String) async throws -> String {
    guard try await mayKeep(source) else { throw OAuthAuthorizationRequest.Refusal.tooMany }
    return try await pendingRequests.add(waiting)
  }

  /// Turns a refusal into the client's answer, or into an error page where nothing may go back to it.
  private func refusing(
    _ body: () async throws -> AuthorizationStep
  ) async throws(OpenIDError) -> AuthorizationStep {
    try await OpenIDError.asking {
      do {
        return try await body()
      } catch let refusal as OAuthAuthorizationRequest.Refusal {
        return refusal.answerURL(issuer: issuer).map { .answer(Self.redirect(to: $0)) } ?? .refused(refusal)
      }
    }
  }

  /// - Parameter name: the name under which the request waits, which is made if none is there.
  private func step(
    _ asked: OAuthAuthorizationRequest, of client: RegisteredClient, _ waiting: PendingRequest, _ login: BrowserLogin?,
    id: String? = nil, name: () async throws -> String
  ) async throws -> AuthorizationStep {
    var pending = try await judged(asked, of: client, waiting, login, id: id ?? "")
    switch pending.decision {
    case .refuse(let refusal):
      if let id, try await !pendingRequests.remove(id) { return .refused(.over) }
      throw refusal
    case .logIn, .stepUp, .consent:
      if id == nil { pending = pending.named(try await name()) }
      return .ask(pending)
    case .answer: break
    }
    guard let login else { return .refused(.over) }
    let grant = try await grant(of: asked, to: client, login.session)
    guard let code = try await code(for: grant, answering: id) else { return .refused(.over) }
    await onEvent(.codeIssued(clientID: client.id, userID: login.session.userID))
    return .answer(Self.redirect(to: asked.answerURL(code: code, issuer: issuer)))
  }

  /// What a user's answer grants. The session notes the client, before there is a code: if it can't, the request waits
  /// on.
  func grant(
    of asked: OAuthAuthorizationRequest, to client: RegisteredClient, _ session: AuthenticationSession
  ) async throws -> AuthorizationCodeGrant {
    let consent = client.needsConsent ? try await sessions.consent(of: session.userID, at: client.id).name : nil
    var members: JSONObject = [
      Self.claimsMember: .object(ClaimsRequest(asked: asked.claims).stored),
      Self.consentMember: .string(consent?.text ?? ""),
    ]
    if let snapshot = client.snapshot { members[Self.clientMember] = .string(snapshot) }
    try await SessionClients(records: records, clock: clock).note(client.id, in: session.id)
    return AuthorizationCodeGrant(asked, subject: session.userID, sessionID: session.id, additionalMembers: members)
  }

  /// A code, in one commit with the end of the request that waits: if two pages continue one, only one gets a code, and
  /// if the commit fails, the request waits on.
  private func code(for grant: AuthorizationCodeGrant, answering id: String?) async throws(OpenIDError) -> String? {
    guard let id else { return try await codes.issue(grant) }
    // Each round but the last saw another page change the request.
    for _ in 0..<64 {
      guard let removal = try await pendingRequests.removal(of: id) else { return nil }
      if let code = try await codes.issue(grant, with: [removal]) { return code }
    }
    throw OpenIDError(.storeUnavailable, "too many pages of one request at once")
  }

  /// What is to be done about a request, by the login that is there.
  func judged(
    _ asked: OAuthAuthorizationRequest, of client: RegisteredClient, _ waiting: PendingRequest, _ login: BrowserLogin?,
    id: String
  ) async throws -> PendingAuthorization {
    func pending(
      _ decision: AuthorizationDecision, _ claims: [String] = [], _ agreement: [String] = []
    ) -> PendingAuthorization {
      PendingAuthorization(
        id: id, request: asked, client: client, decision: decision, claims: claims, sessionID: login?.session.id,
        agreement: agreement)
    }
    guard var login, try await isActive(login) else {
      return pending(asked.decision(for: nil, needing: [], at: clock.now))
    }
    let (userID, party) = (login.session.userID, Self.party(login))
    login.subject = try await sessions.subject(userID: userID, clientID: client.id)
    login.isForThisRequest = waiting.loggedIn == party
    login.hasAgreedNow = waiting.consented == party
    var (consents, claims, agreement) = ([String](), [String](), [String]())
    if client.needsConsent {
      let named = ReleasedClaims.namesBeside(asked.scopes, in: ClaimsRequest(asked: asked.claims).names)
      if !named.isEmpty {
        // The user is not asked for what isn't there.
        let known = try await sessions.claims(named: named, of: userID)
        claims = named.filter { known[$0] != nil }
      }
      consents = asked.scopes + claims.map(Consent.text(ofClaim:))
      login.agreed = try await sessions.grantedScopes(userID: userID, clientID: client.id)
      agreement = Consent(login.agreed).adding(consents)
    }
    // Any program can take an app's port or scheme. Then the user is asked each time (RFC 8252 §8.6).
    let isElsewhere = !asked.redirectURI.utf8.starts(with: "https://".utf8)
    let isImpersonable = client.isPublic && (isElsewhere || client.snapshot != nil)
    let decision = asked.decision(
      for: login, hintedSubject: subject(ofHint: asked.idTokenHint), needing: consents,
      asksAnew: client.needsConsent && isImpersonable, at: clock.now)
    return pending(decision, claims, agreement)
  }

  private func isActive(_ login: BrowserLogin) async throws -> Bool {
    try await sessions.whyEnded(userID: login.session.userID, sessionID: login.session.id) == nil
  }

  /// A redirect that no cache may store.
  static func redirect(to address: String) -> HTTPResponseValue {
    .unstored(303, mediaType: nil, [("Location", address)])
  }
}

extension PendingAuthorization {
  fileprivate func named(_ id: String) -> PendingAuthorization {
    PendingAuthorization(
      id: id, request: request, client: client, decision: decision, claims: claims, sessionID: sessionID,
      agreement: agreement)
  }
}

extension OAuthAuthorizationRequest.Refusal {
  fileprivate static var over: Self {
    unanswerable("request_expired", "The login took too long, or began in another browser")
  }

  fileprivate static var tooMany: Self {
    unanswerable("temporarily_unavailable", "Too many requests came from this network")
  }
}
