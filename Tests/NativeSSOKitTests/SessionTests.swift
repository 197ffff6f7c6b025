import IdentityTesting
import JOSE
import NativeSSOKit
import StrictJSON
import Synchronization
import Testing
import OpenIDKit

/// Logins of Native SSO that token managers keep, against a provider whose refresh tokens are families.
@Suite(.timeLimit(.minutes(60))) struct SessionTests {
  @Test func `a second app gets a login of its own by exchange, and its manager stores it`() async throws {
    let vendor = try await Vendor()
    let (mail, chat) = (try vendor.app("app-a"), try vendor.app("app-b"))
    let signIn = try await mail.session.signIn(present: vendor.browser())
    #expect(signIn.origin == .interactive && signIn.sharing == .stored)
    let first = try await mail.session.validToken()
    #expect(first.value == signIn.tokens.accessToken)
    // The other app shows nothing: its first call is enough.
    let lent = try await chat.session.validToken()
    #expect(lent.value != first.value)
    #expect(await chat.session.manager.state == .fresh)
    let record = try #require(try await TokenRecords(chat.tokens).load())
    #expect(record.subject == World.user && record.refreshToken != nil && record.idToken != nil)
    #expect(vendor.grantTypes == [GrantType.authorizationCode, GrantType.tokenExchange])
    // Each login is a family of its own, which knows session and device secret.
    let families = try await vendor.families()
    #expect(families.map(\.grant.clientID).sorted() == ["app-a", "app-b"])
    #expect(Set(families.map(\.grant.sessionID)) == [World.session])
    #expect(Set(families.map(\.grant.deviceSecretID)).count == 1 && families[0].grant.deviceSecretID != nil)
    #expect(families.allSatisfy { $0.grant.authenticationTime == NumericDate(1_759_999_990) })
    #expect(families.allSatisfy { $0.grant.authenticationContext == "urn:example:silver" })

    // An hour later both refresh, and stay who they are.
    vendor.world.clock.advance(3500)
    #expect(try await mail.session.validToken().value != first.value)
    #expect(try await chat.session.validToken().value != lent.value)
    #expect(vendor.grantTypes.suffix(2) == [GrantType.refreshToken, GrantType.refreshToken])
    #expect(try await vendor.families().map(\.generation) == [2, 2])

    // The session ends at the provider: both logins are over, and no pair brings them back.
    try await vendor.world.sessions.end(sessionID: World.session)
    _ = try await vendor.provider.endSession(World.session)
    vendor.world.clock.advance(3600)
    for app in [mail, chat] {
      let error = await ending { try await app.session.validToken() }
      #expect(error?.code == .reauthenticationRequired && error?.logoutReason == .invalidGrant)
    }
    #expect(try await vendor.families().isEmpty)
  }

  @Test func `many calls whose login has ended make one exchange`() async throws {
    let vendor = try await Vendor(settings: ["enabled": true, "issueRefreshToken": false])
    let chat = try vendor.app("app-b")
    _ = try await vendor.app("app-a").session.signIn(present: vendor.browser())
    for round in 1...2 {
      let values = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<12 { group.addTask { try await chat.session.validToken().value } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(values.count == 1)
      #expect(
        vendor.grantTypes == [GrantType.authorizationCode] + Array(repeating: GrantType.tokenExchange, count: round))
      #expect(try await TokenRecords(chat.tokens).load()?.refreshToken == nil)
      vendor.world.clock.advance(3601)
    }
  }

  @Test func `a call fails if another user has logged in to another app meanwhile`() async throws {
    for restarts in [false, true] {
      let vendor = try await Vendor()
      let mail = try vendor.app("app-a")
      var chat = try vendor.app("app-b")
      _ = try await mail.session.signIn(present: vendor.browser())
      _ = try await chat.session.validToken()
      try await vendor.world.addSession("s-other", user: "user-other")
      let (login, url) = try await mail.session.client.beginLogin()
      let redirect = try await vendor.browser(session: "s-other")(url)
      _ = try await mail.session.client.completeLogin(login, redirect: redirect)
      try await vendor.world.sessions.end(sessionID: World.session)
      _ = try await vendor.provider.endSession(World.session)
      vendor.world.clock.advance(3600)
      if restarts { chat = try vendor.app("app-b", tokens: chat.tokens) }
      let exchanges = vendor.grantTypes.count { $0 == GrantType.tokenExchange }
      for _ in 0..<2 {
        #expect(await ending { try await chat.session.validToken() }?.code == .reauthenticationRequired)
      }
      #expect(vendor.grantTypes.count { $0 == GrantType.tokenExchange } == exchanges)
      // Who signs in is told whose login it is.
      let signIn = try await chat.session.signIn { _ in throw Network.Down() }
      #expect(signIn.subject == "user-other" && signIn.origin == .silent)
      #expect(try await chat.session.validToken().value == signIn.tokens.accessToken)
    }
  }

  @Test(arguments: [NativeSSOClient.SignOutScope.thisApp, .everywhere])
  func `a call after a sign-out doesn't sign in again`(_ scope: NativeSSOClient.SignOutScope) async throws {
    let vendor = try await Vendor()
    let (mail, chat) = (try vendor.app("app-a"), try vendor.app("app-b"))
    _ = try await mail.session.signIn(present: vendor.browser())
    _ = try await chat.session.validToken()
    #expect(try await chat.session.signOut(scope) == (scope == .everywhere))
    #expect(try await TokenRecords(chat.tokens).load() == nil)
    let sent = vendor.grantTypes
    #expect(await ending { try await chat.session.validToken() }?.code == .loggedOut)
    // A restart changes nothing.
    let again = try vendor.app("app-b", tokens: chat.tokens, signedOut: chat.signedOut)
    #expect(await ending { try await again.session.validToken() }?.code == .loggedOut)
    #expect(vendor.grantTypes == sent)
    let active = try await vendor.families().map(\.grant.clientID)
    // The other apps of the device are logged out with it, and by the browser's app alone nobody is.
    #expect(active == (scope == .everywhere ? [] : ["app-a"]))
    let pair = try await SharedPair(vendor.pairs).read().pair
    #expect((pair == nil) == (scope == .everywhere))
    // The user's own wish brings the app back.
    _ = try await again.session.client.allowAutomaticSignIn()
    let error = await ending { try await again.session.validToken() }
    #expect(error?.code == (scope == .everywhere ? .loggedOut : nil))
  }

  /// How a device comes to have another record of a secret.
  enum Renewal: CaseIterable { case tooMany, expired, expiredAndSwept }

  @Test(arguments: Renewal.allCases, [false, true])
  func `who signs out everywhere ends logins that came with a former secret of the device`(
    _ renewal: Renewal, _ isByLogin: Bool
  ) async throws {
    let records = MemoryRecordStore()
    let vendor = try await Vendor(settings: ["enabled": true, "deviceSecretTTLDays": 1], records: records)
    let (mail, chat) = (try vendor.app("app-a"), try vendor.app("app-b"))
    _ = try await mail.session.signIn(present: vendor.browser())
    _ = try await chat.session.validToken()
    let former = try #require(try await vendor.families().first?.grant.deviceSecretID)
    switch renewal {
    case .tooMany:
      let outcome = try await vendor.world.store.revoke(
        id: former, reason: .tooManyDeviceSecrets, now: vendor.provider.clock.now)
      #expect(outcome == .revoked)
      vendor.world.clock.advance(3500)
    case .expired: vendor.world.clock.advance(90_000)
    case .expiredAndSwept:
      vendor.world.clock.advance(90_000)
      _ = await records.removeExpired(before: vendor.provider.clock.now, limit: 100)
    }
    _ =
      isByLogin
      ? try await mail.session.signIn(present: vendor.browser()).tokens.accessToken
      : try await mail.session.validToken().value
    let current = try await vendor.world.store.records(userID: World.user).filter { $0.id != former }
    #expect(current.count == 1 && current[0].formerIDs == [former])
    #expect(try await vendor.families().contains { $0.grant.clientID == "app-b" })
    #expect(try await mail.session.signOut(.everywhere))
    #expect(try await vendor.families().isEmpty)
  }

  @Test func `a refresh after a device's secret was revoked brings no other one`() async throws {
    let vendor = try await Vendor()
    let mail = try vendor.app("app-a")
    _ = try await mail.session.signIn(present: vendor.browser())
    let secret = try #require(try await vendor.world.store.records(userID: World.user).first)
    // Revoked, and its tokens have not ended yet.
    _ = try await vendor.world.store.revoke(
      id: secret.id, reason: .administrator, now: vendor.provider.clock.now)
    vendor.world.clock.advance(3500)
    _ = try await mail.session.validToken()
    #expect(try await vendor.world.store.records(userID: World.user).map(\.id) == [secret.id])
    _ = try await vendor.provider.revokeDeviceSecret(id: secret.id, reason: .administrator)
    #expect(try await vendor.families().isEmpty)
  }

  @Test func `a device's secret follows the record with which another app's login came`() async throws {
    let vendor = try await Vendor()
    let (mail, chat) = (try vendor.app("app-a"), try vendor.app("app-b"))
    _ = try await mail.session.signIn(present: vendor.browser())
    let (login, url) = try await chat.session.client.beginLogin()
    _ = try await chat.session.client.completeLogin(login, redirect: vendor.browser()(url))
    let former = try #require(try await vendor.families().first?.grant.deviceSecretID)
    // The pair is lost, and a login of another session begins another one.
    _ = await vendor.pairs.replace(expecting: vendor.pairs.load()?.version, with: nil)
    try await vendor.world.addSession("s-later")
    _ = try await mail.session.signIn(present: vendor.browser(session: "s-later"))
    let current = try await vendor.world.store.records(userID: World.user).filter { $0.id != former }
    #expect(current.map(\.formerIDs) == [[]])
    vendor.world.clock.advance(3500)
    _ = try await chat.session.validToken()
    #expect(try await vendor.world.store.record(id: current[0].id)?.formerIDs == [former])
    #expect(try await mail.session.signOut(.everywhere))
    #expect(try await vendor.families().isEmpty)
  }

  @Test func `a refresh renews the pair that all apps share, but not another user's`() async throws {
    let vendor = try await Vendor()
    let mail = try vendor.app("app-a")
    _ = try await mail.session.signIn(present: vendor.browser())
    let before = try #require(try await SharedPair(vendor.pairs).read().pair)
    vendor.world.clock.advance(3500)
    _ = try await mail.session.validToken()
    let renewed = try #require(try await SharedPair(vendor.pairs).read().pair)
    #expect(renewed.idToken != before.idToken && renewed.deviceSecret.isSame(as: before.deviceSecret))

    // Somebody else logs in to another app; this app's refresh leaves that pair alone.
    try await vendor.world.addSession("s-other", user: "user-other")
    let another = try vendor.app("app-c").session
    let (login, url) = try await another.client.beginLogin()
    let redirect = try await vendor.browser(session: "s-other")(url)
    #expect(try await another.client.completeLogin(login, redirect: redirect).sharing == .stored)
    #expect(await another.manager.state == .fresh)
    let other = try #require(try await SharedPair(vendor.pairs).read().pair)
    #expect(other.subject == "user-other")
    vendor.world.clock.advance(3500)
    _ = try await mail.session.validToken()
    #expect(try await SharedPair(vendor.pairs).read().pair?.idToken == other.idToken)
    let presented = try vendor.network.requests.all.suffix(1).map { try $0.form().values("device_secret") }
    #expect(presented == [[]])
  }

  @Test func `a refresh with another user's ID token fails and leaves the shared pair`() async throws {
    let vendor = try await Vendor()
    let mail = try vendor.app("app-a")
    _ = try await mail.session.signIn(present: vendor.browser())
    let pair = try #require(try await SharedPair(vendor.pairs).read().pair)
    vendor.world.clock.advance(3500)
    let secret = WorkedExample.secondSecret
    let now = Int(vendor.world.clock.now)
    let idToken = try WorkedExample.idToken([
      ("sub", "user-other"), ("iat", .number(JSONNumber(now))), ("exp", .number(JSONNumber(now + 600))), ("nonce", nil),
      ("at_hash", nil), ("ds_hash", .string(SignatureAlgorithm.es256.leftHalfHash(of: secret))),
    ])
    vendor.network.answer { _ in
      try Device.response(["device_secret": .string(secret)], idToken: idToken)
    }
    #expect(await ending { try await mail.session.validToken() }?.code == .identityTokenInvalid)
    #expect(try await SharedPair(vendor.pairs).read().pair?.idToken == pair.idToken)
  }

  @Test func `a network that is down ends no login`() async throws {
    let vendor = try await Vendor()
    let mail = try vendor.app("app-a")
    let signIn = try await mail.session.signIn(present: vendor.browser())
    vendor.world.clock.advance(3595)
    vendor.network.answer { _ in throw RequestNotSent() }
    #expect(await ending { try await mail.session.validToken() }?.code == .temporarilyUnavailable)
    vendor.serve()
    vendor.world.clock.advance(400)
    #expect(try await mail.session.validToken().value != signIn.tokens.accessToken)
    #expect(try await vendor.families().map(\.generation) == [2])
  }

  @Test func `a sign-out logs this app out even if the shared store fails`() async throws {
    let vendor = try await Vendor()
    let mail = try vendor.app("app-a", pairs: BrokenPairs())
    _ = try await mail.session.signIn(present: vendor.browser())
    await #expect(throws: JOSEError.self) { try await mail.session.signOut(.everywhere) }
    #expect(try await TokenRecords(mail.tokens).load() == nil && mail.signedOut.isSet)
  }

  @Test func `tokens that can't be made leave no family`() async throws {
    let vendor = try await Vendor()
    let issuer = vendor.service.tokenIssuer { _, _ in throw Network.Down() }
    for includesRefreshToken in [true, false] {
      let grant = TokenGrant(
        RefreshGrant(subject: World.user, clientID: "app-a", sessionID: World.session, scope: ["openid"]),
        includesRefreshToken: includesRefreshToken, issuedAt: NumericDate(0))
      await #expect(throws: Network.Down.self) { try await issuer.issue(grant) }
    }
    #expect(try await vendor.families().isEmpty)
    await #expect(throws: OAuthErrorResponse.self) {
      let begun = try await vendor.service.issue(RefreshGrant(subject: "u", clientID: "app-a", scope: []))
      _ = try await vendor.provider.tokens(
        for: AcceptedGrant(begun.grant, sessionID: begun.grant.grant.sessionID ?? "", form: [:]),
        made: TokenAnswer(accessToken: "at"))
    }
  }
}

extension SessionTests {
  // MARK: Keys that can't be had

  @Test func `keys that can't be had end no managed login, and the pair that came is shared afterwards`() async throws {
    let vendor = try await Vendor()
    let keys = Keys(vendor.world.provider.keys.verification)
    let mail = try vendor.app("app-a", keys: { try keys.get($0) })
    _ = try await mail.session.signIn(present: vendor.browser())
    let before = try #require(try await SharedPair(vendor.pairs).read().pair)
    vendor.world.clock.advance(3500)
    keys.areOut = true
    for _ in 0..<2 {
      #expect(await ending { try await mail.session.validToken() }?.code == .temporarilyUnavailable)
      vendor.world.clock.advance(100)
    }
    #expect(try await TokenRecords(mail.tokens).load()?.refreshToken != nil)
    #expect(try await SharedPair(vendor.pairs).read().pair?.idToken == before.idToken)
    keys.areOut = false
    _ = try await mail.session.validToken()
    #expect(try await vendor.families().map(\.generation) == [2])
    let renewed = try #require(try await SharedPair(vendor.pairs).read().pair)
    #expect(renewed.idToken != before.idToken)
  }

  @Test func `an exchange whose ID token can't be judged is judged again, and not made again`() async throws {
    let vendor = try await Vendor()
    let keys = Keys(vendor.world.provider.keys.verification)
    let chat = try vendor.app("app-b", keys: { try keys.get($0) })
    _ = try await vendor.app("app-a").session.signIn(present: vendor.browser())
    keys.areOut = true
    for _ in 0..<2 {
      let outcome = await chat.session.signInSilently()
      #expect(outcome.reason == .responseRejected(JOSEError(.serviceFailed, "", name: "jwks_uri")))
    }
    keys.areOut = false
    vendor.world.clock.advance(30)
    _ = try await chat.session.validToken()
    #expect(vendor.grantTypes == [GrantType.authorizationCode, GrantType.tokenExchange])
    let record = try #require(try await TokenRecords(chat.tokens).load())
    #expect(record.lifetime == 3570)
  }

  @Test func `a sign-out revokes tokens that could not be verified`() async throws {
    let vendor = try await Vendor()
    let chat = try vendor.app("app-b", keys: { _ in throw Network.Down() })
    _ = try await vendor.app("app-a").session.signIn(present: vendor.browser())
    _ = await chat.session.signInSilently()
    _ = try await chat.session.signOut(.thisApp)
    let active = try await vendor.families().map(\.grant.clientID)
    #expect(active == ["app-a"])
  }

  @Test(arguments: [false, true]) func `a sign-out revokes a login that could not be verified`(
    isMeanwhile: Bool
  ) async throws {
    let vendor = try await Vendor()
    let leaving = Recorder<NativeSSOSession>()
    let mail = try vendor.app(
      "app-a",
      keys: { _ in
        for session in leaving.all { try await session.signOut(.thisApp) }
        throw Network.Down()
      }
    ).session
    if isMeanwhile { leaving.append(mail) }
    let (login, url) = try await mail.client.beginLogin()
    let redirect = try await vendor.browser()(url)
    let error = isMeanwhile ? JOSEError(.loggedOut, "") : JOSEError(.serviceFailed, "", name: "jwks_uri")
    await #expect(throws: error) { try await mail.client.completeLogin(login, redirect: redirect) }
    if !isMeanwhile { try await mail.signOut(.thisApp) }
    #expect(try await vendor.families().isEmpty)
    await #expect(throws: JOSEError(.loginOver, "")) {
      try await mail.client.completeLogin(login, redirect: redirect)
    }
  }

  @Test func `a login whose ID token can't be judged is completed again, with its one code`() async throws {
    let vendor = try await Vendor()
    let keys = Keys(vendor.world.provider.keys.verification)
    let mail = try vendor.app("app-a", keys: { try keys.get($0) }).session
    let (login, url) = try await mail.client.beginLogin()
    let redirect = try await vendor.browser()(url)
    keys.areOut = true
    for _ in 0..<2 {
      await #expect(throws: JOSEError(.serviceFailed, "", name: "jwks_uri")) {
        try await mail.client.completeLogin(login, redirect: redirect)
      }
    }
    keys.areOut = false
    #expect(try await mail.client.completeLogin(login, redirect: redirect).sharing == .stored)
    #expect(vendor.grantTypes == [GrantType.authorizationCode])
    await #expect(throws: JOSEError(.loginOver, "")) {
      try await mail.client.completeLogin(login, redirect: redirect)
    }
  }

  @Test func `the ID token of a refresh is verified once, for the manager and for the pair`() async throws {
    let vendor = try await Vendor()
    let (keys, asked) = (vendor.world.provider.keys.verification, Recorder<Bool>())
    let mail = try vendor.app(
      "app-a",
      keys: {
        asked.append($0)
        return keys
      })
    _ = try await mail.session.signIn(present: vendor.browser())
    let before = try #require(try await SharedPair(vendor.pairs).read().pair)
    let (sent, looks) = (vendor.network.requests.all.count, asked.all.count)
    vendor.world.clock.advance(3500)
    _ = try await mail.session.validToken()
    #expect(try await SharedPair(vendor.pairs).read().pair?.idToken != before.idToken)
    #expect(vendor.network.requests.all.count == sent + 1)
    #expect(asked.all.count == looks + 1)
  }

  @Test func `keys that the provider has changed are fetched`() async throws {
    let vendor = try await Vendor()
    let old = JWKSet([try #require(SigningKey.generate(.es256, keyID: "old").verificationKey.publicJWK)])
    let answers = Recorder<JWKSet>()
    let current = vendor.world.provider.keys.verification
    let keys = RemoteKeySet(url: "https://idp.example/jwks", clock: vendor.world.clock.wall) { _ in
      answers.append(old)
      return HTTPResponseValue(status: 200, body: (answers.all.count == 1 ? old : current).serialized())
    }
    _ = try await keys.keys()
    vendor.world.clock.advance(31)
    let base = await (try vendor.app("app-a")).session.client.configuration
    let configuration = NativeSSOClientConfiguration(
      clientID: base.clientID, redirectURI: base.redirectURI, metadata: base.metadata, scopes: base.scopes, keys: keys,
      transport: base.transport, clock: base.clock)
    let client = NativeSSOClient(configuration, pairs: vendor.pairs, appTokens: KeptTokens())
    let (login, url) = try await client.beginLogin()
    #expect(try await client.completeLogin(login, redirect: vendor.browser()(url)).sharing == .stored)
    #expect(answers.all.count == 2)
  }

  // MARK: Records that can't be read

  @Test func `an app whose own record is torn signs in by the vendor's pair`() async throws {
    let vendor = try await Vendor()
    _ = try await vendor.app("app-a").session.signIn(present: vendor.browser())
    let torn = MemorySecretStore([0x7B])
    let chat = try vendor.app("app-b", stored: torn)
    _ = try await chat.session.validToken()
    #expect(try await TokenRecords(torn).load()?.subject == World.user)
    #expect(vendor.grantTypes == [GrantType.authorizationCode, GrantType.tokenExchange])
  }

  @Test func `an app whose own record is torn, and whose user has signed out, stays signed out`() async throws {
    let vendor = try await Vendor()
    _ = try await vendor.app("app-a").session.signIn(present: vendor.browser())
    let signedOut = Flag()
    signedOut.set()
    let chat = try vendor.app("app-b", signedOut: signedOut, stored: MemorySecretStore([0x7B]))
    #expect(await ending { try await chat.session.validToken() }?.code == .recordMalformed)
  }

  // MARK: Signing out beside others

  @Test func `a sign-out everywhere leaves another user's login that has just begun`() async throws {
    let vendor = try await Vendor()
    let racing = RacingPairs(vendor.pairs)
    let mail = try vendor.app("app-a", pairs: racing)
    _ = try await mail.session.signIn(present: vendor.browser())
    let own = try #require(try await SharedPair(vendor.pairs).read().pair)
    let other = try #require(try Device.pair(secret: WorkedExample.secondSecret, subject: "user-other"))
    await racing.beOvertaken(by: other)
    try await mail.session.signOut(.everywhere)
    #expect(try await SharedPair(vendor.pairs).read().pair?.subject == "user-other")
    let revoked = try vendor.network.requests.all.filter { $0.url.hasSuffix("/revoke") }.map { try $0.form() }
      .filter { $0.values("token_type_hint") == ["device_secret"] }.flatMap { $0.values("token") }
    #expect(revoked == [own.deviceSecret.reveal()])
  }

  @Test func `a pair that is renewed while its user signs out everywhere goes too`() async throws {
    let vendor = try await Vendor()
    let racing = RacingPairs(vendor.pairs)
    let mail = try vendor.app("app-a", pairs: racing)
    _ = try await mail.session.signIn(present: vendor.browser())
    let own = try #require(try await SharedPair(vendor.pairs).read().pair)
    await racing.beOvertaken(by: own)
    #expect(try await mail.session.signOut(.everywhere))
    #expect(try await SharedPair(vendor.pairs).read().pair == nil)
  }
}

/// Keys that can be out of reach.
private final class Keys: Sendable {
  private let keys: JWKSet
  private let out = Mutex(false)

  init(_ keys: JWKSet) { self.keys = keys }

  var areOut: Bool {
    get { out.withLock { $0 } }
    set { out.withLock { $0 = newValue } }
  }

  func get(_ refreshing: Bool) throws -> JWKSet {
    if areOut { throw Network.Down() }
    return keys
  }
}

/// A shared store to which another app writes just before a pair is deleted, once.
private actor RacingPairs: SecretStore {
  private let inner: MemorySecretStore
  private var other: SSOPair?

  init(_ inner: MemorySecretStore) { self.inner = inner }

  func beOvertaken(by other: SSOPair) { self.other = other }

  func load() async throws -> StoredSecret? { await inner.load() }

  func replace(expecting version: [UInt8]?, with document: [UInt8]?) async throws -> [UInt8]? {
    if let document, try SSOPairEntry(parsing: document).pair == nil, let other {
      self.other = nil
      _ = try await SharedPair(inner).replace(expecting: SharedPair(inner).read().generation, with: other)
    }
    return await inner.replace(expecting: version, with: document)
  }
}

private struct BrokenPairs: SecretStore {
  func load() async throws -> StoredSecret? { throw Network.Down() }
  func replace(expecting version: [UInt8]?, with document: [UInt8]?) async throws -> [UInt8]? {
    throw Network.Down()
  }
}

private func ending<Value>(_ body: () async throws -> Value) async -> OpenIDError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? OpenIDError
  }
}

/// Remembers a sign-out.
private final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }

  func set() { value.withLock { $0 = true } }

  var memory: SignOutMemory { SignOutMemory(load: { self.isSet }, save: { new in self.value.withLock { $0 = new } }) }
}

/// A provider whose refresh tokens are families, and the apps of one vendor.
private struct Vendor {
  struct App {
    let session: NativeSSOSession
    let tokens: MemorySecretStore
    let signedOut: Flag
  }

  /// Who has authenticated in the browser last.
  private final class Code: Sendable {
    let session = Mutex("")
    let nonce = Mutex<String?>(nil)
  }

  let world: World
  let provider: OpenIDProvider
  let service: RefreshTokenService
  let pairs = MemorySecretStore()
  let network = Network { _ in throw Network.Down() }
  private let code = Code()

  init(settings: JSONObject = ["enabled": true], records: any RecordStore = MemoryRecordStore()) async throws {
    world = try await World(settings: settings, records: records, seedsPair: false)
    service = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), clock: world.clock.wall)
    var provider = world.provider
    provider.tokens = service.tokenIssuer { _, _ in DeviceSecret.random().reveal() }
    self.provider = provider
    serve()
  }

  /// Lets the provider answer.
  func serve() {
    let (provider, code) = (provider, code)
    let endpoint = TokenEndpoint(grants: [
      .refreshToken(service) { grant, request in
        try await provider.tokens(
          for: AcceptedGrant(grant, sessionID: grant.grant.sessionID ?? "", form: request.form),
          made: TokenAnswer(
            accessToken: DeviceSecret.random().reveal(), expiresIn: grant.accessTokenLifetime))
      }
    ]) { _, form in
      form.values("client_id").first.map { AuthenticatedClient(id: $0) }
    }
    network.answer { request in
      let form = try request.form()
      if request.url.hasSuffix("/revoke") { return await provider.revocation(request) }
      switch form.values("grant_type").first {
      case GrantType.refreshToken: return await endpoint.respond(to: request)
      case GrantType.authorizationCode:
        let grant = AcceptedGrant(
          .authorizationCode, clientID: form.values("client_id").first ?? "", sessionID: code.session.withLock { $0 },
          scopes: ["openid", "profile", "device_sso"], nonce: code.nonce.withLock { $0 },
          form: form)
        return .json(200, try await provider.tokens(for: grant).jsonObject)
      default: return await provider.tokenExchange(request, sourceAddress: "device")
      }
    }
  }

  /// The kinds of grant that were asked for.
  var grantTypes: [String] {
    network.requests.all.compactMap { try? $0.form().values("grant_type").first }
  }

  /// The logins that live.
  func families() async throws -> [RefreshedGrant] {
    try await service.logins(.createdBefore(NumericDate(1 << 40)))
  }

  /// A browser in which the user of a session logs in.
  func browser(session: String = World.session) -> @Sendable (String) async throws -> String {
    let code = code
    return { url in
      let query = try #require(URIComponents(parsing: url).query)
      let fields = try FormFields(decoding: Array(query.utf8))
      code.session.withLock { $0 = session }
      code.nonce.withLock { $0 = fields.values("nonce").first }
      let redirect = try URIComponents(parsing: try #require(fields.values("redirect_uri").first))
      return redirect.appendingQuery([
        "code": "c", "state": try #require(fields.values("state").first), "iss": World.issuer,
      ])
    }
  }

  func app(
    _ clientID: String, tokens: MemorySecretStore = MemorySecretStore(), signedOut: Flag = Flag(),
    pairs: (any SecretStore)? = nil, stored: (any SecretStore)? = nil,
    keys: (@Sendable (Bool) async throws -> JWKSet)? = nil
  ) throws -> App {
    var configuration = Device(world).configuration(clientID)
    if let keys { configuration.keys = keys }
    let (network, clock) = (network, world.clock)
    configuration.transport = { try await network.send($0) }
    var settings = TokenSettings()
    settings.thresholdJitter = .zero
    // Who is told of the first failure need not wait for the next attempt.
    settings.maximumAttempts = 1
    let session = try NativeSSOSession(
      configuration, pairs: pairs ?? self.pairs, tokens: stored ?? tokens, signOut: signedOut.memory,
      settings: settings,
      // Requests are answered in no time, so that no limit is ever reached.
      clock: TokenClock(
        wall: clock.wall, elapsed: { Duration(saturating: clock.now) },
        sleep: { _ in try await Task.sleep(for: .seconds(86_400)) }))
    return App(session: session, tokens: tokens, signedOut: signedOut)
  }
}
