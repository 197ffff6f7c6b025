import IdentityTesting
import JOSE
import PureCrypto
import Synchronization
import Testing

@testable import OpenIDKit

@Suite struct AuthorizationCodeTests {
  private let invalidGrant = OpenIDError(.invalidGrant, "")
  private struct NotRefused: Error {}

  private func refuses(
    _ provider: CodeProvider, _ request: AuthorizationCodeRedemption
  ) async -> Bool {
    do {
      _ = try await provider.redeem(request)
      return false
    } catch {
      return error as? OpenIDError == invalidGrant && "\(error)".contains("the authorization code is not valid")
    }
  }

  @Test func `a code gives back what was granted, once`() async throws {
    let provider = try CodeProvider()
    var grant = CodeProvider.grant
    grant.additionalMembers = ["claims": ["userinfo": ["email"]]]
    let code = try await provider.codes.issue(grant)
    #expect(code.utf8.count == 43)
    let redeemed = try await provider.codes.redeem(CodeProvider.request(code)) { $0.grant }
    #expect(redeemed == grant)
    #expect(await refuses(provider, CodeProvider.request(code)))
    #expect(provider.log.kinds == [.redeemed, .reused])
  }

  @Test func `codes and names of grants are never the same`() async throws {
    let provider = try CodeProvider()
    var texts: Set<String> = []
    for _ in 0..<50 {
      let grant = CodeProvider.grant
      texts.insert(grant.id)
      texts.insert(try await provider.codes.issue(grant))
    }
    #expect(texts.count == 100)
  }

  @Test func `the store has no code, only its hash`() async throws {
    let provider = try CodeProvider()
    let code = try await provider.codes.issue(CodeProvider.grant)
    let record = try #require(try await provider.store.code(Array(SHA2.SHA256.hash(code.utf8))))
    #expect(!String(decoding: record.serialized(), as: UTF8.self).contains(code))
    #expect(try await provider.store.code(Array(code.utf8)) == nil)
    // What stands in the store can't be presented.
    #expect(await refuses(provider, CodeProvider.request(Base64URL.encode(record.codeHash))))
  }

  @Test(
    arguments: [
      ("redirect_uri", "https://app.example/cb/"), ("redirect_uri", "https://app.example/CB"), ("redirect_uri", nil),
      ("code_verifier", CodeProvider.verifier.lowercased()), ("code_verifier", "short"), ("code_verifier", nil),
      ("dpop_jkt", "another"), ("dpop_jkt", nil),
    ] as [(String, String?)])
  func `a code with a wrong redirect, verifier or key is used up`(parameter: String, value: String?) async throws {
    let provider = try CodeProvider()
    var grant = CodeProvider.grant
    grant.keyThumbprint = "thumbprint"
    let code = try await provider.codes.issue(grant)
    var request = CodeProvider.request(code)
    request.keyThumbprint = "thumbprint"
    let right = request
    switch parameter {
    case "redirect_uri": request.redirectURI = value
    case "code_verifier": request.codeVerifier = value
    default: request.keyThumbprint = value
    }
    #expect(await refuses(provider, request))
    #expect(provider.log.kinds == [.refused(parameter: parameter)])
    #expect(await refuses(provider, right))
    // The same request, not spoilt, is taken.
    var other = right
    other.code = try await provider.codes.issue(grant)
    _ = try await provider.redeem(other)
  }

  @Test func `a verifier for a code without a challenge is refused`() async throws {
    let provider = try CodeProvider()
    var grant = CodeProvider.grant
    grant.codeChallenge = nil
    #expect(await refuses(provider, CodeProvider.request(try await provider.codes.issue(grant))))
    var request = CodeProvider.request(try await provider.codes.issue(grant))
    request.codeVerifier = nil
    _ = try await provider.redeem(request)
  }

  @Test func `a DPoP proof is accepted for a code that requires none`() async throws {
    let provider = try CodeProvider()
    var request = CodeProvider.request(try await provider.codes.issue(CodeProvider.grant))
    request.keyThumbprint = "thumbprint"
    _ = try await provider.redeem(request)
  }

  @Test func `another client gets nothing, and the code stays`() async throws {
    let provider = try CodeProvider()
    let code = try await provider.codes.issue(CodeProvider.grant)
    for client in ["App", "ap", "", "app "] {
      var request = CodeProvider.request(code)
      request.clientID = client
      #expect(await refuses(provider, request))
    }
    let tokens = try await provider.redeem(CodeProvider.request(code))
    var request = CodeProvider.request(code)
    request.clientID = "another"
    #expect(await refuses(provider, request))
    #expect(try await provider.isActive(tokens))
    #expect(!provider.log.kinds.contains(.reused))
  }

  @Test func `what was never a code is refused`() async throws {
    let provider = try CodeProvider()
    _ = try await provider.codes.issue(CodeProvider.grant)
    for text in ["", "x", String(repeating: "A", count: 43), String(repeating: "A", count: 100_000), "\u{0}", "é"] {
      #expect(await refuses(provider, CodeProvider.request(text)))
    }
  }

  @Test func `a code is good for its time and no longer`() async throws {
    let provider = try CodeProvider(lifetime: 30)
    let codes = [
      try await provider.codes.issue(CodeProvider.grant), try await provider.codes.issue(CodeProvider.grant),
    ]
    provider.clock.advance(29.9)
    _ = try await provider.redeem(CodeProvider.request(codes[0]))
    provider.clock.advance(0.1)
    #expect(await refuses(provider, CodeProvider.request(codes[1])))
  }

  @Test func `a second use ends refresh tokens and access tokens of the first, also when the code has expired`()
    async throws
  {
    for pause in [0, 61, 86_000.0] {
      let provider = try CodeProvider()
      let code = try await provider.codes.issue(CodeProvider.grant)
      let tokens = try await provider.redeem(CodeProvider.request(code))
      let others = try await provider.redeem(
        CodeProvider.request(try await provider.codes.issue(CodeProvider.grant)))
      provider.clock.advance(pause)
      #expect(try await provider.isActive(tokens))
      // Also where the rest of the request is not right.
      var request = CodeProvider.request(code)
      request.codeVerifier = nil
      #expect(await refuses(provider, request))
      #expect(try await !provider.isActive(tokens))
      #expect(try await provider.isActive(others))
      #expect(provider.log.kinds.last == .reused)
    }
  }

  @Test func `a family begins with its code's use or not at all, and a second use ends one that began apart`()
    async throws
  {
    struct Died: Error {}
    let provider = try CodeProvider()
    let code = try await provider.codes.issue(CodeProvider.grant)
    let grantID = try await provider.grantID(of: code)
    await #expect(throws: OpenIDError.self) {
      try await provider.redeem(CodeProvider.request(code)) { throw Died() }
    }
    // There is no family without a token.
    #expect(try await provider.logins().isEmpty)
    // A second use ends what was begun apart from the code.
    let begun = try await provider.refreshTokens.issue(RefreshGrant(CodeProvider.grant))
    let named = try await provider.refreshTokens.issue(
      RefreshGrant(subject: "alice", clientID: "app", scope: [], grantID: grantID))
    #expect(await refuses(provider, CodeProvider.request(code)))
    #expect(try await provider.logins().map(\.family) == [begun.grant.family])
    #expect(try await provider.logins(.grant(grantID)).isEmpty && named.grant.grant.grantID == grantID)
  }

  @Test func `many present one code at once: one has it, what it has ends, and nobody is told of another fault`()
    async throws
  {
    let provider = try CodeProvider()
    for _ in 0..<20 {
      let code = try await provider.codes.issue(CodeProvider.grant)
      let outcomes = await withTaskGroup(of: Bool?.self) { group in
        for _ in 0..<12 {
          group.addTask {
            do {
              _ = try await provider.redeem(CodeProvider.request(code)) { await Task.yield() }
              return true
            } catch {
              return error as? OpenIDError == OpenIDError(.invalidGrant, "") ? false : nil
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(!outcomes.contains(nil) && outcomes.count { $0 == true } == 1)
      #expect(try await provider.logins().isEmpty)
    }
  }

  @Test func `what was granted for some resources gives tokens for them, or for some of them, and for no other`()
    async throws
  {
    let provider = try CodeProvider()
    let (a, b) = ("https://a.example/", "https://b.example/")
    var grant = CodeProvider.grant
    grant.resources = [a, b]
    for (asked, told) in [([], [a, b]), ([b], [b]), ([b, a], [b, a])] as [([String], [String])] {
      var request = CodeProvider.request(try await provider.codes.issue(grant))
      request.resources = asked
      let code = try await provider.codes.redeem(request) { $0 }
      #expect(code.resources == told && code.grant.resources == [a, b])
      #expect(RefreshGrant(code.grant).resources == [a, b] && RefreshGrant(code.grant).grantID == code.grant.id)
    }
    for resource in ["https://a.example", "https://A.example/", "https://c.example/", ""] {
      var request = CodeProvider.request(try await provider.codes.issue(grant))
      request.resources = [a, resource]
      await #expect(throws: OpenIDError(.invalidTarget, "", name: "resource")) {
        try await provider.redeem(request)
      }
      // The code is used up.
      request.resources = [a]
      #expect(await refuses(provider, request))
    }
    // A code for no resource is one for none.
    var request = CodeProvider.request(try await provider.codes.issue(CodeProvider.grant))
    request.resources = [a]
    await #expect(throws: OpenIDError(.invalidTarget, "", name: "resource")) {
      try await provider.redeem(request)
    }
    #expect(provider.log.kinds.contains(.refused(parameter: "resource")))
  }

  @Test func `a code that comes again while its tokens are made is the second one's, until the first is done`()
    async throws
  {
    let provider = try CodeProvider()
    for isBegun in [false, true] {
      let request = CodeProvider.request(try await provider.codes.issue(CodeProvider.grant))
      await #expect(throws: invalidGrant) {
        try await provider.codes.redeem(request) { code in
          if isBegun { _ = try await provider.tokens(for: code) }
          let tokens = try await provider.redeem(request)
          guard try await provider.isActive(tokens) else { throw NotRefused() }
          return isBegun ? tokens : try await provider.tokens(for: code)
        }
      }
      #expect(try await provider.logins().isEmpty)
      #expect(provider.log.kinds.suffix(2) == [.redeemed, .reused])
    }
  }

  @Test func `the use of a code and the families that it begins are one commit`() async throws {
    struct Down: Error {}
    let commits = Mutex<[[RecordChange]]>([])
    let isDown = Mutex(false)
    let records = HookedRecords(willCommit: { changes in
      commits.withLock { $0.append(changes) }
      if isDown.withLock({ $0 }) { throw Down() }
    })
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records)
    let codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil)
    let request = CodeProvider.request(try await codes.issue(CodeProvider.grant))
    let late = Mutex<RedeemedAuthorizationCode?>(nil)
    func redeem() async throws -> String {
      try await codes.redeem(request) { code in
        late.withLock { $0 = code }
        let withdrawn = try code.issueRefreshToken(for: RefreshGrant(subject: "bob", clientID: "app", scope: []))
        code.withdraw(withdrawn.grant.family)
        return try code.issueRefreshToken().refreshToken
      }
    }
    // Nothing is changed where the store fails: the code may come again.
    isDown.withLock { $0 = true }
    await #expect(throws: OpenIDError(.storeUnavailable, "")) { try await redeem() }
    isDown.withLock { $0 = false }
    #expect(try await service.logins(.client("app")).isEmpty)
    commits.withLock { $0 = [] }
    let token = try await redeem()
    let made = try #require(commits.withLock { $0 }.first)
    #expect(commits.withLock { $0 }.count == 1 && made.count == 2)
    #expect(made.map(\.kind) == [AuthorizationCodeRecords.kind, RefreshTokenFamilyRecords.kind])
    #expect(try await service.logins(.client("app")).map(\.grant.subject) == ["alice"])
    _ = try await service.check(RefreshRedemption(refreshToken: token, clientID: "app"))
    // What comes after the commit could never be kept.
    let redeemed = try #require(late.withLock { $0 })
    #expect(throws: OpenIDError(.settingInvalid, "", name: "code")) { try redeemed.issueRefreshToken() }
    let bare = try AuthorizationCodeService(revokedTokens: nil)
    let other = CodeProvider.request(try await bare.issue(CodeProvider.grant))
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "refreshTokens")) {
      try await bare.redeem(other) { try $0.issueRefreshToken().refreshToken }
    }
  }

  @Test func `a step after the commit that fails ends the families, and says what is unavailable`() async throws {
    struct Over: Error {}
    for (thrown, told) in [
      (Over(), .invalidGrant), (OpenIDError(.storeUnavailable, ""), .storeUnavailable),
    ] as [(any Error & Sendable, ErrorCode)] {
      let provider = try CodeProvider()
      let request = CodeProvider.request(try await provider.codes.issue(CodeProvider.grant))
      await #expect(throws: OpenIDError(told, "")) {
        try await provider.codes.redeem(request) { code in
          for subject in ["alice", "bob"] {
            _ = try code.issueRefreshToken(for: RefreshGrant(subject: subject, clientID: "app", scope: []))
          }
          code.commitAlso([]) { throw thrown }
        }
      }
      #expect(try await provider.logins().isEmpty)
      #expect(await refuses(provider, request))
    }
  }

  @Test func `withdrawAll leaves refresh tokens and further changes unwritten`() async throws {
    let provider = try CodeProvider()
    let request = CodeProvider.request(try await provider.codes.issue(CodeProvider.grant))
    let other = StoredRecord(
      kind: StoredRecord.Kind(library: "other"), key: [1], indexes: [], createdAt: provider.clock.wall.now,
      document: [],
      attempt: [])
    let answer = try await provider.codes.redeem(request) { code in
      _ = try code.issueRefreshToken()
      code.commitAlso([.insert(other)]) { Issue.record("called without its changes") }
      code.withdrawAll()
      return "server_error"
    }
    #expect(answer == "server_error")
    #expect(try await provider.logins().isEmpty)
    #expect(await provider.records.record(other.kind, key: [1]) == nil)
    #expect(await refuses(provider, request))
  }

  @Test func `a code that comes again while nothing can be made is still invalid_grant`() async throws {
    struct Broken: Error {}
    let provider = try CodeProvider()
    let request = CodeProvider.request(try await provider.codes.issue(CodeProvider.grant))
    await #expect(throws: invalidGrant) {
      try await provider.codes.redeem(request) { _ in
        _ = try? await provider.redeem(request)
        throw Broken()
      }
    }
  }

  @Test func `what fails while tokens are made is told apart, and the code is used up`() async throws {
    struct Broken: Error {}
    let provider = try CodeProvider()
    for (thrown, told) in [
      (Broken(), .serverError), (OpenIDError(.invalidScope, ""), .invalidScope),
    ] as [(any Error & Sendable, ErrorCode)] {
      let request = CodeProvider.request(try await provider.codes.issue(CodeProvider.grant))
      do {
        _ = try await provider.codes.redeem(request) { _ in throw thrown }
        Issue.record("nothing was thrown")
      } catch {
        #expect(error.code == told)
      }
      #expect(await refuses(provider, request))
    }
    #expect(!provider.log.kinds.contains(.redeemed))
  }

  @Test func `a used code is remembered for as long as it is told to be`() async throws {
    let provider = try CodeProvider(retention: 1000)
    let code = try await provider.codes.issue(CodeProvider.grant)
    _ = try await provider.redeem(CodeProvider.request(code))
    let record = try #require(try await provider.store.code(AuthorizationCodeText.hash(of: code)))
    #expect(record.use == .used && record.removableAt == provider.clock.date.advanced(by: 1000))
  }

  @Test func `settings out of range are refused`() throws {
    for (lifetime, retention, name) in [
      (0.5, 1000, "lifetime"), (601, 1000, "lifetime"), (1e19, 1e19, "lifetime"), (60, 59, "retention"),
      (60, 31_536_001, "retention"), (60, 1e19, "retention"),
    ] as [(Double, Double, String)] {
      #expect(throws: OpenIDError(.settingInvalid, "", name: name)) {
        try AuthorizationCodeService(
          lifetime: .seconds(lifetime), retention: .seconds(retention), revokedTokens: nil)
      }
    }
  }

  @Test func `a provider without refresh tokens and without a list of ended tokens`() async throws {
    let codes = try AuthorizationCodeService(revokedTokens: nil)
    let request = CodeProvider.request(try await codes.issue(CodeProvider.grant))
    #expect(try await codes.redeem(request) { _ in 7 } == 7)
    await #expect(throws: invalidGrant) { try await codes.redeem(request) { _ in 7 } }
  }

  @Test func `a token request's form`() throws {
    let form: FormFields = [
      "grant_type": "authorization_code", "code": "c", "redirect_uri": "https://app.example/cb", "code_verifier": "v",
    ]
    let request = try AuthorizationCodeRedemption(form: form, clientID: "app", keyThumbprint: "t")
    #expect(request.code == "c" && request.redirectURI == "https://app.example/cb" && request.codeVerifier == "v")
    #expect(request.clientID == "app" && request.keyThumbprint == "t")
    let empty = try AuthorizationCodeRedemption(
      form: ["code": "c", "redirect_uri": "", "code_verifier": ""], clientID: "app")
    #expect(empty.redirectURI == nil && empty.codeVerifier == nil && empty.keyThumbprint == nil)
    for form in [[:], ["code": ""], ["code": "a", "code": "b"]] as [FormFields] {
      #expect(throws: OpenIDError(.invalidRequest, "", name: "code")) {
        try AuthorizationCodeRedemption(form: form, clientID: "app")
      }
    }
    let several = FormFields([("code", "c"), ("resource", "https://a.example"), ("resource", ""), ("resource", "b")])
    #expect(try AuthorizationCodeRedemption(form: several, clientID: "app").resources == ["https://a.example", "b"])
    #expect(throws: OpenIDError(.invalidRequest, "")) {
      try AuthorizationCodeRedemption(
        form: FormFields([("code", "c"), ("device_secret", "a"), ("device_secret", "b")]), clientID: "app")
    }
    for name in ["redirect_uri", "code_verifier"] {
      #expect(throws: OpenIDError(.invalidRequest, "", name: name)) {
        try AuthorizationCodeRedemption(
          form: FormFields([("code", "c"), (name, "a"), (name, "a")]), clientID: "app")
      }
    }
  }

  @Test func `a grant is made of what was asked for`() throws {
    let thumbprint = String(repeating: "A", count: 43)
    let asked = try OAuthAuthorizationRequest(
      [
        "client_id": "app", "redirect_uri": "https://app.example/cb", "response_type": "code", "scope": "openid x",
        "nonce": "n", "code_challenge": thumbprint, "code_challenge_method": "S256", "dpop_jkt": thumbprint,
        "resource": "https://r.example",
      ],
      of: RegisteredClient(
        id: "app", redirectURIs: ["https://app.example/cb"], resources: ["https://r.example"]))
    let grant = AuthorizationCodeGrant(asked, subject: "alice", sessionID: "s", additionalMembers: ["a": 1])
    #expect(
      grant
        == AuthorizationCodeGrant(
          clientID: "app", redirectURI: "https://app.example/cb", scopes: ["openid"],
          resources: ["https://r.example"], subject: "alice", sessionID: "s", nonce: "n", codeChallenge: thumbprint,
          keyThumbprint: thumbprint, id: grant.id, additionalMembers: ["a": 1]))
  }

  @Test func `nothing of a code, a verifier or a user is described`() async throws {
    let provider = try CodeProvider()
    let code = try await provider.codes.issue(CodeProvider.grant)
    let request = CodeProvider.request(code)
    let record = try #require(try await provider.store.code(AuthorizationCodeText.hash(of: code)))
    var texts = ["\(request)", "\(record)", "\(record.grant)", "\(provider.records)"]
    try await provider.codes.redeem(request) { texts.append("\($0)") }
    for value in [request, record, record.grant] as [Any] {
      var text = ""
      dump(value, to: &text)
      texts.append(text)
    }
    for text in texts {
      for secret in [code, CodeProvider.verifier, Base64URL.encode(record.codeHash), "alice"] {
        #expect(!text.contains(secret), "\(text)")
      }
    }
  }
}
