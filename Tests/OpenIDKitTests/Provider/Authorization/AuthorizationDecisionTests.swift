import JOSE
import OpenIDKit
import Testing

/// The rules of the authorization endpoint: a row for each that OpenID Connect Core has.
@Suite struct AuthorizationDecisionTests {
  private static let now = NumericDate(1_790_000_000)

  /// A request with these parameters, and what the browser has done.
  struct Row: Sendable, CustomStringConvertible {
    let description: String
    var parameters: [(String, String)] = []
    /// The age of the login in seconds; nil for none.
    var age: Double? = 100
    var context: String?
    var hinted: String?
    var change: @Sendable (inout BrowserLogin) -> Void = { _ in }
    var consents: [String] = []
    var asksAnew = false
    let expected: Expected
  }

  enum Expected: Sendable, Equatable {
    case answer, consent
    case logIn(AuthorizationDecision.LoginReason)
    case stepUp(String)
    case refuse(String)
  }

  private static let mfa = "urn:example:mfa"
  private static let anew: @Sendable (inout BrowserLogin) -> Void = { $0.isForThisRequest = true }

  static let rows: [Row] = [
    // §3.1.2.3: who must be there.
    Row(description: "no user is logged in", age: nil, expected: .logIn(.noLogin)),
    Row(description: "a user is logged in", expected: .answer),
    // §3.1.2.1 prompt.
    Row(
      description: "none, and no user", parameters: [("prompt", "none")], age: nil, expected: .refuse("login_required")),
    Row(description: "none, and a login that will do", parameters: [("prompt", "none")], expected: .answer),
    Row(description: "login", parameters: [("prompt", "login")], expected: .logIn(.prompt)),
    Row(description: "login, which was done", parameters: [("prompt", "login")], change: anew, expected: .answer),
    Row(description: "select_account", parameters: [("prompt", "select_account")], expected: .logIn(.prompt)),
    Row(
      description: "select_account, which was done", parameters: [("prompt", "select_account")], change: anew,
      expected: .answer),
    Row(description: "consent", parameters: [("prompt", "consent")], expected: .consent),
    Row(
      description: "consent, which was given", parameters: [("prompt", "consent")], change: { $0.hasAgreedNow = true },
      expected: .answer),
    Row(
      description: "login and consent, nothing done", parameters: [("prompt", "consent login")],
      expected: .logIn(.prompt)),
    Row(
      description: "login and consent, logged in", parameters: [("prompt", "consent login")], change: anew,
      expected: .consent),
    Row(description: "an unknown prompt", parameters: [("prompt", "create")], expected: .answer),
    // §3.1.2.1 max_age.
    Row(description: "young enough", parameters: [("max_age", "100")], expected: .answer),
    Row(description: "too old", parameters: [("max_age", "99")], expected: .logIn(.tooOld)),
    Row(
      description: "too old, silently", parameters: [("max_age", "99"), ("prompt", "none")],
      expected: .refuse("login_required")),
    Row(description: "no age at all", parameters: [("max_age", "0")], expected: .logIn(.tooOld)),
    Row(description: "no age at all, logged in", parameters: [("max_age", "0")], change: anew, expected: .answer),
    // §3.1.2.1 id_token_hint.
    Row(description: "the hinted user", parameters: [("id_token_hint", "t")], hinted: "alice", expected: .answer),
    Row(description: "another user", parameters: [("id_token_hint", "t")], hinted: "bob", expected: .logIn(.otherUser)),
    Row(
      description: "another user, silently", parameters: [("id_token_hint", "t"), ("prompt", "none")], hinted: "bob",
      expected: .refuse("login_required")),
    Row(
      description: "another user has logged in for it", parameters: [("id_token_hint", "t")], hinted: "bob",
      change: anew, expected: .refuse("login_required")),
    Row(description: "a hint that can't be read", parameters: [("id_token_hint", "t")], expected: .logIn(.otherUser)),
    Row(
      description: "a hint that can't be read, logged in", parameters: [("id_token_hint", "t")], change: anew,
      expected: .answer),
    Row(
      description: "a name that begins like the hint", parameters: [("id_token_hint", "t")], hinted: "alic",
      expected: .logIn(.otherUser)),
    // §5.5.1 sub among the claims.
    Row(
      description: "sub of this user", parameters: [("claims", #"{"id_token":{"sub":{"value":"alice"}}}"#)],
      expected: .answer),
    Row(
      description: "sub of another", parameters: [("claims", #"{"userinfo":{"sub":{"value":"bob"}}}"#)],
      expected: .logIn(.otherUser)),
    Row(
      description: "sub of several", parameters: [("claims", #"{"userinfo":{"sub":{"values":["bob","alice"]}}}"#)],
      expected: .answer),
    Row(
      description: "sub of no text", parameters: [("claims", #"{"id_token":{"sub":{"value":7}}}"#)],
      expected: .logIn(.otherUser)),
    Row(description: "sub without a value", parameters: [("claims", #"{"id_token":{"sub":null}}"#)], expected: .answer),
    Row(
      description: "hint and sub that differ",
      parameters: [("id_token_hint", "t"), ("claims", #"{"id_token":{"sub":{"value":"bob"}}}"#)], hinted: "alice",
      expected: .logIn(.otherUser)),
    // §3.1.2.1 acr_values, §5.5.1.1 acr; RFC 9470.
    Row(description: "a wish that can't be met", parameters: [("acr_values", mfa)], expected: .answer),
    Row(
      description: "a wish that a new login meets", parameters: [("acr_values", mfa)],
      change: { $0.reachableContexts = [mfa] }, expected: .stepUp(mfa)),
    Row(
      description: "the same, once logged in", parameters: [("acr_values", mfa)],
      change: {
        $0.reachableContexts = [mfa]
        $0.isForThisRequest = true
      }, expected: .answer),
    Row(
      description: "a wish that a further factor meets, once logged in", parameters: [("acr_values", mfa)],
      change: {
        $0.addableContexts = [mfa]
        $0.isForThisRequest = true
      }, expected: .stepUp(mfa)),
    Row(
      description: "a wish, silently", parameters: [("acr_values", mfa), ("prompt", "none")],
      change: { $0.addableContexts = [mfa] }, expected: .answer),
    Row(description: "a wish that is met", parameters: [("acr_values", mfa)], context: mfa, expected: .answer),
    Row(
      description: "a demand that can't be met",
      parameters: [("claims", #"{"id_token":{"acr":{"essential":true,"value":"urn:example:mfa"}}}"#)],
      expected: .refuse("unmet_authentication_requirements")),
    Row(
      description: "a demand, silently",
      parameters: [
        ("claims", #"{"id_token":{"acr":{"essential":true,"value":"urn:example:mfa"}}}"#), ("prompt", "none"),
      ], change: { $0.addableContexts = [mfa] }, expected: .refuse("login_required")),
    Row(
      description: "a stronger login comes before consent", parameters: [("acr_values", mfa)],
      change: { $0.addableContexts = [mfa] }, consents: ["openid"], expected: .stepUp(mfa)),
    // §3.1.2.4 consent.
    Row(description: "not agreed", consents: ["openid"], expected: .consent),
    Row(
      description: "agreed before", change: { $0.agreed = ["mail", "openid"] }, consents: ["openid"], expected: .answer),
    Row(
      description: "agreed to less", change: { $0.agreed = ["openid"] }, consents: ["openid", "mail"],
      expected: .consent),
    Row(
      description: "a page that showed less",
      change: {
        $0.agreed = ["openid"]
        $0.hasAgreedNow = true
      }, consents: ["openid", "mail"], expected: .consent),
    Row(
      description: "not agreed, silently", parameters: [("prompt", "none")], consents: ["openid"],
      expected: .refuse("consent_required")),
    Row(
      description: "asked each time", change: { $0.agreed = ["openid"] }, consents: ["openid"], asksAnew: true,
      expected: .consent),
    Row(
      description: "asked each time, and agreed",
      change: {
        $0.agreed = ["openid"]
        $0.hasAgreedNow = true
      }, consents: ["openid"], asksAnew: true, expected: .answer),
    Row(
      description: "asked each time, silently", parameters: [("prompt", "none")], change: { $0.agreed = ["openid"] },
      consents: ["openid"], asksAnew: true, expected: .refuse("consent_required")),
  ]

  /// A request with these parameters besides the usual ones.
  private static func asked(_ parameters: [(String, String)]) throws -> OAuthAuthorizationRequest {
    var fields: FormFields = [
      "client_id": "app", "redirect_uri": "https://app.example/back", "response_type": "code", "scope": "openid",
      "state": "s", "code_challenge": String(repeating: "A", count: 43), "code_challenge_method": "S256",
    ]
    for (name, value) in parameters { fields.append(name, value) }
    return try OAuthAuthorizationRequest(fields, of: .init(id: "app", redirectURIs: ["https://app.example/back"]))
  }

  private static func decide(_ row: Row) throws -> Expected {
    let asked = try asked(row.parameters)
    var login = row.age.map { age in
      BrowserLogin(
        AuthenticationSession(
          id: "s", userID: "alice", authenticatedAt: now.advanced(by: -age), authenticationContext: row.context))
    }
    if login != nil { row.change(&login!) }
    let decision = asked.decision(
      for: login, hintedSubject: row.hinted, needing: row.consents, asksAnew: row.asksAnew, at: now)
    switch decision {
    case .answer: return .answer
    case .logIn(let reason): return .logIn(reason)
    case .stepUp(let context): return .stepUp(context)
    case .consent: return .consent
    case .refuse(let refusal):
      // It goes to the client.
      #expect(refusal.answerURL(issuer: "https://op.example")?.hasPrefix("https://app.example/back?error=") == true)
      return .refuse(refusal.code)
    }
  }

  @Test(arguments: rows) func `a request is decided by the rules`(row: Row) throws {
    #expect(try Self.decide(row) == row.expected)
  }

  /// Whatever a request asks for, it ends once its user has done what was asked.
  @Test func `a request is answered or refused once its user has done what was asked`() throws {
    for row in Self.rows where row.age != nil {
      var row = row
      let change = row.change
      row.hinted = row.hinted.map { _ in "alice" }
      let consents = row.consents
      row.change = {
        change(&$0)
        ($0.isForThisRequest, $0.hasAgreedNow, $0.agreed) = (true, true, consents)
        // The factor that was missing has been added.
        $0.addableContexts = []
      }
      let decision = try Self.decide(row)
      switch decision {
      case .answer, .refuse: break
      default: Issue.record("\(row): \(decision)")
      }
    }
  }

  @Test func `a user's other name towards a client is compared with the hint`() throws {
    let asked = try Self.asked([("id_token_hint", "t")])
    var login = BrowserLogin(AuthenticationSession(id: "s", userID: "alice", authenticatedAt: Self.now))
    login.subject = "pairwise"
    func decision(_ hinted: String) -> AuthorizationDecision {
      asked.decision(for: login, hintedSubject: hinted, needing: [], at: Self.now)
    }
    #expect(decision("pairwise") == .answer && decision("alice") == .logIn(.otherUser))
  }
}
