import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Devices without a browser at the provider: RFC 8628, and what others got wrong.
@Suite struct DeviceGrantTests {
  private static let key = try! SigningKey.generate(.es256, keyID: "d-1")

  // MARK: Codes

  @Test func `a device gets its codes, and the metadata say where`() async throws {
    let world = try await DeviceWorld()
    let answer = try await world.start()
    #expect(answer.status == 200 && answer.headers.values("Cache-Control") == ["no-store"])
    let object = try JSONObject(parsing: answer.body)
    let code = try #require(object["user_code"]?.stringValue)
    #expect(code.utf8.count == 9 && UserCode(typed: code)?.text == code)
    #expect(object["device_code"]?.stringValue?.utf8.count == 43)
    #expect(object["verification_uri"] == .string(DeviceWorld.page))
    #expect(object["verification_uri_complete"] == .string(DeviceWorld.page + "?user_code=" + code))
    #expect(object["expires_in"] == 600 && object["interval"] == 5)
    let metadata = try await world.provider.metadata()
    #expect(metadata["device_authorization_endpoint"] == .string(ProviderWorld.issuer + "/device_authorization"))
    #expect(metadata["grant_types_supported"]?.arrayValue?.contains(.string(DeviceWorld.grant)) == true)
  }

  @Test func `the device grant is off without a device page`() async throws {
    let world = try await DeviceWorld { $0.devicePage = nil }
    let request = HTTPRequestValue.post(["client_id": "tv"], to: ProviderWorld.issuer + "/device_authorization")
    #expect(await world.provider.respond(to: request, from: "a") == nil)
    let metadata = try await world.provider.metadata()
    #expect(metadata["device_authorization_endpoint"] == nil)
    #expect(metadata["grant_types_supported"]?.arrayValue?.contains(.string(DeviceWorld.grant)) == false)
    #expect(try await world.poll("x").member("error") == "unsupported_grant_type")
  }

  @Test(
    arguments: [
      ("nobody", [("scope", "openid")], 401, "invalid_client"),
      ("app", [("scope", "openid")], 400, "unauthorized_client"),
      ("site", [("scope", "openid"), ("client_secret", "secret")], 400, "unauthorized_client"),
      ("tv", [("scope", "profile")], 400, "invalid_scope"), ("tv", [], 400, "invalid_scope"),
      ("tv", [("scope", "openid"), ("resource", "https://other.example")], 400, "invalid_target"),
      ("tv", [("scope", "openid"), ("scope", "openid")], 400, "invalid_request"),
      ("bound-tv", [("scope", "openid")], 400, "invalid_dpop_proof"),
    ] as [(String, [(String, String)], Int, String)])
  func `a device request that is refused gets an error and no codes`(
    client: String, more: [(String, String)], status: Int, error: String
  ) async throws {
    let answer = try await DeviceWorld().start(client, more)
    #expect(answer.status == status && answer.member("error") == error)
    #expect(answer.member("user_code") == nil)
  }

  @Test(arguments: ["/device", "https://op.example.com/device#here", "no address"])
  func `an invalid address of the device page is refused`(page: String) async throws {
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "devicePage")) {
      _ = try await DeviceWorld { $0.devicePage = page }
    }
  }

  @Test(arguments: [59, 1801]) func `a lifetime out of range is refused`(seconds: Int) async throws {
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "deviceCodeLifetime")) {
      _ = try await DeviceWorld { $0.deviceCodeLifetime = .seconds(seconds) }
    }
  }

  @Test func `user codes are read as people write them`() throws {
    let code = try #require(UserCode(typed: "WDJB-MJHT"))
    for text in ["wdjbmjht", " wdjb mjht ", "W-D-J-B-M-J-H-T", "wdjb–mjht"] { #expect(UserCode(typed: text) == code) }
    for text in ["", "WDJB-MJH", "WDJB-MJHTT", "AEIO-UAEI", String(repeating: "B ", count: 64)] {
      #expect(UserCode(typed: text) == nil)
    }
    // No letter is likelier than another: 20 letters in 80,000, each 4,000 times but for chance.
    var counts: [Character: Int] = [:]
    for _ in 0..<10_000 { for letter in UserCode(.system).text where letter != "-" { counts[letter, default: 0] += 1 } }
    #expect(counts.count == 20 && counts.values.allSatisfy { (3500...4500).contains($0) })
  }

  @Test func `a store has neither code`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    let key = AuthorizationCodeText.hash(of: codes.device)
    let record = try #require(try await world.world.records.record(WaitingDevice.kind, key: key))
    let text = String(decoding: record.document, as: UTF8.self)
    let letters = codes.user.filter { $0 != "-" }
    #expect(!text.contains(codes.device) && !text.contains(codes.user) && !text.contains(letters))
    #expect(record.indexes.allSatisfy { !String(decoding: $0.value, as: UTF8.self).contains(codes.user) })
  }

  /// A database that was changed by hand ends no process.
  @Test(arguments: ["4", "61", "-1", "9223372036854775807", "1e300", "null", "\"5\""])
  func `a stored interval that no device has is refused`(interval: String) async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    let key = AuthorizationCodeText.hash(of: codes.device)
    let record = try #require(try await world.world.records.record(WaitingDevice.kind, key: key))
    let text = String(decoding: record.document, as: UTF8.self)
    #expect(throws: Never.self) { try WaitingDevice(record.document) }
    let changed = text.replacing("\"interval\":5", with: "\"interval\":\(interval)")
    #expect(changed != text)
    #expect(throws: OpenIDError(.recordMalformed, "")) { try WaitingDevice(Array(changed.utf8)) }
  }

  // MARK: Questions

  @Test func `a device waits for its user, who agrees`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes("tv", [("scope", "openid profile"), ("resource", "https://api.example.com")])
    #expect(try await world.poll(codes.device).member("error") == "authorization_pending")
    let device = try #require(try await world.device(codes.user.lowercased()))
    #expect(device.userCode == codes.user && device.source == "192.0.2.7" && device.startedAt == world.clock.wall.now)
    #expect(device.pending.client.id == "tv" && device.pending.decision == .consent)
    #expect(device.pending.request.scopes == ["openid", "profile"])
    #expect(try await world.agree(codes.user))
    let answer = try await world.poll(codes.device)
    #expect(answer.status == 200 && answer.member("token_type") == "Bearer")
    let claims = try world.world.claims(answer.member("id_token"))
    #expect(claims["sub"] == "jane" && claims["aud"] == "tv" && claims["nonce"] == nil)
    #expect(try world.world.claims(answer.member("access_token"))["aud"] == "https://api.example.com")
    #expect(try await world.world.refresh(answer.member("refresh_token"), client: "tv").status == 200)
  }

  @Test func `a code is good once, and ends what it gave if it comes again`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    try await world.agree(codes.user)
    let answer = try await world.poll(codes.device)
    #expect(answer.status == 200)
    #expect(try await world.poll(codes.device).member("error") == "invalid_grant")
    #expect(try await world.world.refresh(answer.member("refresh_token"), client: "tv").status == 400)
  }

  @Test func `of many questions at once one gets tokens`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    try await world.agree(codes.user)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<16 { group.addTask { try await world.poll(codes.device).status } }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 200 } == 1)
  }

  @Test func `a device code is no authorization code`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    try await world.agree(codes.user)
    let form: FormFields = [
      "grant_type": "authorization_code", "code": codes.device, "client_id": "tv", "redirect_uri": "",
    ]
    #expect(try await world.world.post("/token", form).member("error") == "invalid_grant")
  }

  @Test func `only its own client has the tokens`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    #expect(try await world.poll(codes.device, "other-tv").member("error") == "invalid_grant")
    try await world.agree(codes.user)
    #expect(try await world.poll(codes.device, "other-tv").member("error") == "invalid_grant")
    #expect(try await world.poll(codes.device, "app").member("error") == "unauthorized_client")
    #expect(try await world.poll("unknown").member("error") == "invalid_grant")
    #expect(try await world.poll("").member("error") == "invalid_request")
    #expect(try await world.poll(String(repeating: "x", count: 129)).member("error") == "invalid_grant")
    #expect(try await world.poll(codes.device).status == 200)
  }

  @Test func `a user's refusal of a device is final`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    let device = try #require(try await world.device(codes.user))
    let login = try await world.login()
    #expect(try await world.provider.answerDevice(device.pending.id, login: login, after: .denial))
    #expect(try await world.poll(codes.device).member("error") == "access_denied")
    #expect(try await world.device(codes.user) == nil)
    try await world.world.sessions.grant(device.pending.agreement, userID: "jane", clientID: "tv")
    let late = try await world.provider.answerDevice(
      device.pending.id, login: login, after: .consent(sessionID: ProviderWorld.session))
    #expect(!late)
    #expect(try await world.poll(codes.device).member("error") == "access_denied")
  }

  @Test func `after its time a code is expired, agreed to or not`() async throws {
    let world = try await DeviceWorld()
    let (late, agreed) = (try await world.codes(), try await world.codes())
    try await world.agree(agreed.user)
    world.clock.advance(599)
    #expect(try await world.device(late.user) != nil)
    #expect(try await world.poll(late.device).member("error") == "authorization_pending")
    world.clock.advance(1)
    for code in [late.device, agreed.device] { #expect(try await world.poll(code).member("error") == "expired_token") }
    #expect(try await world.device(late.user) == nil)
  }

  // MARK: Impatience

  @Test func `each early question makes the interval five seconds longer, for good`() async throws {
    let world = try await DeviceWorld()
    let code = try await world.codes().device
    func ask(after seconds: Double) async throws -> String? {
      world.clock.advance(seconds)
      return try await world.poll(code).member("error")
    }
    // The first may come at once.
    #expect(try await ask(after: 0) == "authorization_pending")
    #expect(try await ask(after: 4.9) == "slow_down")
    // Ten seconds after the last one that was in time.
    #expect(try await ask(after: 5.1) == "authorization_pending")
    #expect(try await ask(after: 9.9) == "slow_down")
    #expect(try await ask(after: 5.1) == "authorization_pending")
    #expect(try await ask(after: 14.9) == "slow_down")
    #expect(try await ask(after: 0.1) == "slow_down")
    #expect(try await ask(after: 10) == "authorization_pending")
  }

  /// Raising the interval and counting from the early question keeps such a device waiting until its code has expired.
  @Test func `a device whose clock is fast is not early for ever`() async throws {
    let world = try await DeviceWorld()
    let code = try await world.codes().device
    var (interval, answers) = (5.0, [String]())
    while answers.last != "expired_token" {
      let answer = try #require(try await world.poll(code).member("error"))
      answers.append(answer)
      if answer == "slow_down" { interval += 5 }
      world.clock.advance(interval * 0.99)
    }
    // Each second question is in time.
    #expect(answers.count >= 20)
    for (first, second) in zip(answers, answers.dropFirst()) { #expect(first != "slow_down" || second != "slow_down") }
  }

  @Test func `a device that never waits still gets what its user has agreed to`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    for _ in 0..<40 { _ = try await world.poll(codes.device) }
    try await world.agree(codes.user)
    #expect(try await world.poll(codes.device).status == 200)
  }

  @Test func `polling while the user answers doesn't undo the answer`() async throws {
    let world = try await DeviceWorld()
    for _ in 0..<20 {
      let codes = try await world.codes()
      let device = try #require(try await world.device(codes.user))
      try await world.world.sessions.grant(device.pending.agreement, userID: "jane", clientID: "tv")
      let isAgreed = try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          try await world.provider.answerDevice(
            device.pending.id, login: try await world.login(), after: .consent(sessionID: ProviderWorld.session))
        }
        for _ in 0..<4 {
          group.addTask {
            _ = try await world.poll(codes.device)
            return false
          }
        }
        return try await group.reduce(false) { $0 || $1 }
      }
      #expect(isAgreed)
    }
  }

  // MARK: Keys

  @Test func `the key of the first request is asked for each time`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes("tv", key: Self.key)
    #expect(try await world.poll(codes.device).member("error") == "invalid_grant")
    let other = try SigningKey.generate(.es256, keyID: "d-2")
    #expect(try await world.poll(codes.device, key: other).member("error") == "invalid_grant")
    #expect(try await world.poll(codes.device, key: Self.key).member("error") == "authorization_pending")
    try await world.agree(codes.user)
    // Neither a thief of the code nor a device without its key uses it up.
    #expect(try await world.poll(codes.device, key: other).member("error") == "invalid_grant")
    #expect(try await world.poll(codes.device).member("error") == "invalid_grant")
    let answer = try await world.poll(codes.device, key: Self.key)
    #expect(answer.status == 200 && answer.member("token_type") == "DPoP")
    let claims = try world.world.claims(answer.member("access_token"))
    #expect(claims["cnf"]?.objectValue?["jkt"]?.stringValue == (try Self.key.verificationKey.publicJWK?.thumbprint()))
  }

  @Test func `a client that must prove a key can`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes("bound-tv", [("scope", "openid")], key: Self.key)
    try await world.agree(codes.user, keeping: false)
    #expect(try await world.poll(codes.device, "bound-tv", key: Self.key).status == 200)
  }

  // MARK: The page

  @Test func `an answer counts for the login that was asked, and with what it agreed to`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    #expect(try await !world.agree(codes.user, keeping: false))
    let device = try #require(try await world.device(codes.user))
    try await world.world.sessions.grant(device.pending.agreement, userID: "jane", clientID: "tv")
    let login = try await world.login()
    for page in [AnsweredPage.none, .login, .consent(sessionID: "another")] {
      #expect(try await !world.provider.answerDevice(device.pending.id, login: login, after: page))
    }
    for id in ["", "no id", codes.device, codes.user] {
      #expect(
        try await !world.provider.answerDevice(id, login: login, after: .consent(sessionID: ProviderWorld.session)))
    }
    #expect(try await world.poll(codes.device).member("error") == "authorization_pending")
    #expect(try await world.agree(codes.user))
  }

  @Test func `a user is asked each time, also for what was agreed to before`() async throws {
    let world = try await DeviceWorld()
    try await world.agree(try await world.codes().user)
    let device = try #require(try await world.device(try await world.codes().user))
    #expect(device.pending.decision == .consent)
  }

  @Test func `a login that is too weak for the client must be made stronger first`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes("strong-tv", [("scope", "openid")])
    #expect(try await !world.agree(codes.user, keeping: false))
    try await world.world.begin(ProviderWorld.session, context: "mfa")
    #expect(try await world.agree(codes.user, keeping: false))
    #expect(try await world.poll(codes.device, "strong-tv").status == 200)
  }

  @Test func `a login that has ended meanwhile gives no tokens`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    try await world.agree(codes.user)
    try await world.world.sessions.end(sessionID: ProviderWorld.session)
    #expect(try await world.poll(codes.device).member("error") == "invalid_grant")
  }

  @Test func `a consent that was taken back gives no tokens`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    try await world.agree(codes.user)
    try await world.world.sessions.grant([], userID: "jane", clientID: "tv")
    #expect(try await world.poll(codes.device).member("error") == "invalid_grant")
  }

  // MARK: Guesses

  @Test func `guesses at user codes are limited for a user, for a network and in total`() async throws {
    let unknown = Mutex(0)
    let world = try await DeviceWorld(onEvent: { event in
      if case .unknownUserCode = event { unknown.withLock { $0 += 1 } }
    })
    let codes = try await world.codes()
    let session = try await world.login().session
    func guess(_ user: String, _ source: String) async throws -> Bool {
      let login = BrowserLogin(
        AuthenticationSession(id: session.id, userID: user, authenticatedAt: session.authenticatedAt))
      do {
        #expect(try await world.provider.device(showing: UserCode(.system).text, login: login, from: source) == nil)
        return true
      } catch {
        #expect(error.code == .tooManyRequests && error.retryAfter.map { $0 > .zero && $0 <= .seconds(600) } == true)
        return false
      }
    }
    var looked = 0
    for _ in 0..<8000 where try await guess("jane", "a") { looked += 1 }
    #expect(looked == 5)
    for user in 0..<500 where try await guess("u\(user)", "a") { looked += 1 }
    #expect(looked == 30)
    for user in 0..<1500 where try await guess("u\(user)", "s\(user)") { looked += 1 }
    #expect(looked == 1000 && unknown.withLock { $0 } == looked)
    world.clock.advance(600)
    #expect(try await world.device(codes.user) == nil)
    #expect(try await world.device(try await world.codes().user) != nil)
  }

  @Test func `a right user code doesn't reset the count of wrong ones`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    for _ in 0..<5 {
      #expect(try await world.device(UserCode(.system).text) == nil)
      _ = try? await world.device(codes.user)
    }
    await #expect(throws: OpenIDError(.tooManyRequests, "")) { _ = try await world.device(codes.user) }
  }

  @Test func `guesses at once are counted each`() async throws {
    let world = try await DeviceWorld()
    let looked = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 {
        group.addTask {
          do { return try await world.device("BCDF-GHJK") == nil } catch { return false }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(looked == 5)
  }

  @Test func `a user may look at a good code as often as it takes`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    for _ in 0..<40 { #expect(try await world.device(codes.user) != nil) }
  }

  // MARK: Stores

  @Test func `a store that fails uses up nothing`() async throws {
    let world = try await DeviceWorld()
    let codes = try await world.codes()
    world.world.records.fail { $0 == WaitingDevice.kind }
    #expect(try await world.poll(codes.device).status == 503)
    #expect(try await world.start().status == 503)
    await #expect(throws: OpenIDError(.storeUnavailable, "")) { _ = try await world.device(codes.user) }
    world.world.records.fail { _ in false }
    try await world.agree(codes.user)
    world.world.records.fail { $0 == AuthorizationCodeRecords.kind }
    #expect(try await world.poll(codes.device).status == 503)
    world.world.records.fail { _ in false }
    #expect(try await world.poll(codes.device).status == 200)
  }

  @Test func `device code requests of one source are limited and answered with 429`() async throws {
    let world = try await DeviceWorld()
    var refused: HTTPResponseValue?
    for _ in 0..<700 where refused == nil {
      let answer = try await world.start()
      if answer.status != 200 { refused = answer }
    }
    #expect(refused?.status == 429 && refused?.headers.values("Retry-After") == ["60"])
  }
}
