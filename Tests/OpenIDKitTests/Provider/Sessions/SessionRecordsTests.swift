import IdentityTesting
import JOSE
import Testing

@testable import OpenIDKit

/// Sessions, users and consents as records keep them.
@Suite struct SessionRecordsTests {
  private let records: BentRecords
  private let clock = VirtualClock()

  init() { self.init(nil) }

  private init(_ fault: BentRecords.Fault?) { records = BentRecords(fault) }

  // MARK: What is planted is found

  private func finds(
    _ fault: BentRecords.Fault, _ test: @Sendable (SessionRecordsTests) async throws -> Void
  ) async {
    await withKnownIssue("\(fault)") { try await test(SessionRecordsTests(fault)) }
  }

  @Test func `these tests find what is planted`() async {
    await finds(.losesIndex("subject")) {
      try await $0.`names of sessions, users, clients and scopes are compared as bytes`(text: "a")
    }
    await finds(.keepsDocuments) {
      try await $0.`a session is read as it was written, ends, and is written anew, and no other is touched`()
    }
    await finds(.losesExpiry) {
      try await $0.`a session that has ended is forgotten after 90 days, and one that lasts is not`()
    }
    await finds(.removesNothing) { try await $0.`a user who is disabled is not active, and can be enabled again`() }
    await finds(.keepsDocuments) {
      try await $0.`a consent takes the place of the one before, and to agree to nothing takes it back`()
    }
    await finds(.replacesBlindly) { try await $0.`what is done at once is done as a whole`() }
    await finds(.hidesDamage) {
      try await $0.`a damaged record of a session, consent or subject is reported as malformed`(
        damage: DocumentDamage.illegible[0])
    }
  }

  // MARK: Rules

  /// The directory, opened anew.
  private func directory(pairwise: Bool = false) -> SessionRecords {
    SessionRecords(records: records, usesPairwiseSubjects: pairwise, clock: clock.wall)
  }

  private func session(_ id: String) -> AuthenticationSession {
    AuthenticationSession(
      id: id, userID: "\u{1F600}'\"\\", authenticatedAt: NumericDate(1_760_000_000).advanced(by: 0.25),
      authenticationContext: "urn:example:gold", authenticationMethods: ["pwd", "otp"])
  }

  private func isSame(_ found: AuthenticationSession?, _ session: AuthenticationSession) -> Bool {
    guard let found else { return false }
    // Swift's == takes texts for the same that differ by their octets.
    func octets(_ session: AuthenticationSession) -> [[UInt8]?] {
      [session.id, session.userID, session.authenticationContext].map { $0.map { Array($0.utf8) } }
        + (session.authenticationMethods ?? ["none"]).map { Array($0.utf8) }
    }
    return octets(found) == octets(session) && found.isActive == session.isActive
      && found.authenticatedAt == session.authenticatedAt
      && (found.authenticationMethods == nil) == (session.authenticationMethods == nil)
  }

  @Test(arguments: AwkwardText.all.map(\.text))
  func `names of sessions, users, clients and scopes are compared as bytes`(text: String) async throws {
    let twin = AwkwardText.twin(of: text)
    let session = AuthenticationSession(
      id: text, userID: text, authenticatedAt: NumericDate(5), authenticationContext: text,
      authenticationMethods: [text, twin])
    try await directory().add(session)
    try await directory().end(sessionID: twin)
    #expect(try await isSame(directory().session(id: text), session))
    #expect(try await directory().session(id: twin) == nil)
    try await directory().addUser(text)
    try await directory().disableUser(twin)
    #expect(try await directory().isActive(userID: text))
    #expect(try await !directory().isActive(userID: twin))
    try await directory().grant([text, "b", text], userID: text, clientID: text)
    for (user, client) in [(twin, text), (text, twin)] {
      #expect(try await directory().grantedScopes(userID: user, clientID: client).isEmpty)
    }
    let scopes = try await directory().grantedScopes(userID: text, clientID: text)
    #expect(scopes.map { Array($0.utf8) } == [text, "b", text].map { Array($0.utf8) })
    let subject = try await directory(pairwise: true).subject(userID: text, clientID: text)
    #expect(try await directory(pairwise: true).subject(userID: text, clientID: text) == subject)
    #expect(try await directory(pairwise: true).subject(userID: twin, clientID: text) != subject)
    #expect(try await directory(pairwise: true).subject(userID: text, clientID: twin) != subject)
    let user = try #require(try await directory(pairwise: true).userID(subject: subject, clientID: text))
    #expect(user.utf8.elementsEqual(text.utf8))
    #expect(try await directory(pairwise: true).userID(subject: subject, clientID: twin) == nil)
  }

  @Test func `a consent counts until its end, and is removed then`() async throws {
    let end = clock.wall.now.advanced(by: .seconds(100))
    try await directory().grant(["openid"], userID: "user", clientID: "app", until: end)
    #expect(try await directory().grantedScopes(userID: "user", clientID: "app") == ["openid"])
    clock.advance(100)
    #expect(try await directory().grantedScopes(userID: "user", clientID: "app").isEmpty)
    #expect(await records.removeExpired(before: end.advanced(by: .seconds(1)), limit: 10) == 1)
    try await directory().grant(["openid"], userID: "user", clientID: "app")
    #expect(try await directory().grantedScopes(userID: "user", clientID: "app") == ["openid"])
  }

  @Test func `an empty directory has no session, no user, no consent and no subject`() async throws {
    #expect(try await directory().session(id: "s") == nil)
    #expect(try await !directory().isActive(userID: "user"))
    #expect(try await directory().grantedScopes(userID: "user", clientID: "app").isEmpty)
    #expect(try await directory(pairwise: true).userID(subject: "user", clientID: "app") == nil)
  }

  @Test func `a session is renewed while it lasts, and not after its end`() async throws {
    let next = AuthenticationSession(id: "s", userID: "user", authenticatedAt: NumericDate(7))
    #expect(try await !directory().renew(next))
    #expect(try await directory().session(id: "s") == nil)
    try await directory().add(session("s"))
    #expect(try await directory().renew(next))
    #expect(try await isSame(directory().session(id: "s"), next))
    try await directory().end(sessionID: "s")
    #expect(try await !directory().renew(session("s")))
    #expect(try await directory().session(id: "s")?.isActive == false)
    #expect(try await directory().session(id: "s")?.authenticatedAt == NumericDate(7))
  }

  @Test func `a session is read as it was written, ends, and is written anew, and no other is touched`() async throws {
    let bare = AuthenticationSession(id: "bare", userID: "user", authenticatedAt: NumericDate(-1))
    for session in [session("s"), session("t"), bare] { try await directory().add(session) }
    #expect(try await isSame(directory().session(id: "s"), session("s")))
    #expect(try await isSame(directory().session(id: "bare"), bare))
    try await directory().end(sessionID: "s")
    try await directory().end(sessionID: "?")
    #expect(try await directory().session(id: "s")?.isActive == false)
    #expect(try await directory().session(id: "?") == nil)
    let anew = AuthenticationSession(id: "s", userID: "another", authenticatedAt: NumericDate(7))
    try await directory().add(anew)
    #expect(try await isSame(directory().session(id: "s"), anew))
    #expect(try await isSame(directory().session(id: "t"), session("t")))
  }

  @Test func `a session that has ended is forgotten after 90 days, and one that lasts is not`() async throws {
    for id in ["s", "t"] { try await directory().add(session(id)) }
    try await directory().end(sessionID: "s")
    clock.advance(89 * 86_400)
    // To end it again prolongs nothing.
    try await directory().end(sessionID: "s")
    _ = await records.removeExpired(before: clock.wall.now, limit: 10)
    #expect(try await directory().session(id: "s")?.isActive == false)
    clock.advance(86_401)
    _ = await records.removeExpired(before: clock.wall.now, limit: 10)
    #expect(try await directory().session(id: "s") == nil)
    #expect(try await directory().session(id: "t")?.isActive == true)
  }

  @Test func `a user who is disabled is not active, and can be enabled again`() async throws {
    try await directory().disableUser("user")
    #expect(try await !directory().isActive(userID: "user"))
    for _ in 0..<2 { try await directory().addUser("user") }
    #expect(try await directory().isActive(userID: "user"))
    try await directory().disableUser("user")
    #expect(try await !directory().isActive(userID: "user"))
    try await directory().addUser("user")
    #expect(try await directory().isActive(userID: "user"))
  }

  @Test func `a consent takes the place of the one before, and to agree to nothing takes it back`() async throws {
    try await directory().grant(["openid", "email"], userID: "user", clientID: "app")
    try await directory().grant(["openid"], userID: "user", clientID: "app")
    try await directory().grant(["profile"], userID: "user", clientID: "another")
    #expect(try await directory().grantedScopes(userID: "user", clientID: "app") == ["openid"])
    try await directory().grant([], userID: "user", clientID: "app")
    #expect(try await directory().grantedScopes(userID: "user", clientID: "app").isEmpty)
    // The end of one name is no part of the next.
    try await directory().grant(["a"], userID: "ab", clientID: "c")
    #expect(try await directory().grantedScopes(userID: "a", clientID: "bc").isEmpty)
  }

  @Test func `a public subject is the user's name`() async throws {
    #expect(try await directory().subject(userID: "user", clientID: "app") == "user")
    #expect(try await directory().userID(subject: "user", clientID: "app") == "user")
  }

  /// What 32 tasks return that run at once.
  private func together<Value: Sendable>(
    _ body: @escaping @Sendable (SessionRecords, Int) async throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
      for number in 0..<32 {
        let directory = directory(pairwise: true)
        group.addTask { try await body(directory, number) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `what is done at once is done as a whole`() async throws {
    let subjects = try await together { directory, _ in try await directory.subject(userID: "user", clientID: "app") }
    #expect(Set(subjects).count == 1)
    _ = try await together { directory, number in
      try await directory.grant(["a\(number)", "b\(number)"], userID: "user", clientID: "app")
    }
    let scopes = try await directory().grantedScopes(userID: "user", clientID: "app")
    #expect(scopes.count == 2 && scopes[0].dropFirst() == scopes[1].dropFirst())
    let disabled = try await together { directory, number in
      for _ in 0..<3 {
        try await directory.addUser("u\(number)")
        try await directory.disableUser("u\(number)")
      }
      return try await !directory.isActive(userID: "u\(number)")
    }
    #expect(disabled.allSatisfy { $0 })
    let ended = try await together { [self] directory, number in
      try await directory.add(session("s\(number)"))
      try await directory.end(sessionID: "s\(number)")
      return try await directory.session(id: "s\(number)")?.isActive == false
    }
    #expect(ended.allSatisfy { $0 })
  }

  @Test(arguments: DocumentDamage.all)
  func `a damaged record of a session, consent or subject is reported as malformed`(
    damage: DocumentDamage
  ) async throws {
    try await directory().add(session("s"))
    try await directory().grant(["openid"], userID: "user", clientID: "app")
    let subject = try await directory(pairwise: true).subject(userID: "user", clientID: "app")
    for (kind, key) in [("session", "s"), ("consent", "4.userapp"), ("pairwise-subject", "4.userapp")]
      as [(StaticString, String)]
    {
      let kind = StoredRecord.Kind(library: kind)
      var record = try #require(await records.record(kind, key: Array(key.utf8)))
      record.document = damage.change(record.document)
      #expect(try await records.commit([.replace(record)]) == .done)
    }
    let invalid = JOSEError(.recordMalformed, "")
    await #expect(throws: invalid) { try await directory().session(id: "s") }
    await #expect(throws: invalid) { try await directory().end(sessionID: "s") }
    await #expect(throws: invalid) { try await directory().grantedScopes(userID: "user", clientID: "app") }
    await #expect(throws: invalid) { try await directory(pairwise: true).subject(userID: "user", clientID: "app") }
    await #expect(throws: invalid) { try await directory(pairwise: true).userID(subject: subject, clientID: "app") }
    // What is written takes its place.
    try await directory().add(session("s"))
    try await directory().grant(["openid"], userID: "user", clientID: "app")
    #expect(try await isSame(directory().session(id: "s"), session("s")))
    #expect(try await directory().grantedScopes(userID: "user", clientID: "app") == ["openid"])
  }
}
