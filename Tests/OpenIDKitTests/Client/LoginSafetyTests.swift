import JOSE
import PureJOSETestSupport
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Logins that a client once lost, or gave to somebody else.
@Suite struct LoginSafetyTests {
  // MARK: A change of user

  private static var bob: TokenAnswer {
    var bob = tokens(70)
    bob.accessToken = "at-bob"
    return bob
  }

  @Test func `a call that waits is not answered with the next user's token`() async throws {
    let gate = Gate()
    let client = try await Client.expired(behind: gate)
    let manager = client.manager
    let waiting = await client.callWaiting(behind: gate)
    try await manager.logIn(Self.bob, subject: "bob")
    #expect(await waiting.value?.code == .loggedOut)
    gate.open()
    #expect(try await manager.validToken().value == "at-bob")
    #expect(await until { client.refresher.revoked == ["rt-secret-2"] })
    #expect(await client.store.stored?.refreshToken == "rt-secret-70")
  }

  @Test func `the repetition after a 401 is not made with the next user's token`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let manager = client.manager
    let used = Mutex<[String]>([])
    let error = await failure {
      _ = try await manager.withValidToken { token in
        used.withLock { $0.append(token.value) }
        try await manager.logIn(Self.bob)
        return CallOutcome.unauthorized(())
      }
    }
    #expect(error?.code == .loggedOut && used.withLock { $0 } == ["at-secret-1"])
  }

  @Test func `another process's login does not answer calls of this one`() async throws {
    let gate = Gate()
    let client = try await Client.expired(behind: gate)
    let other = try client.restarted()
    let waiting = await client.callWaiting(behind: gate)
    try await other.logIn(Self.bob)
    gate.open()
    #expect(await waiting.value?.code == .loggedOut)
    #expect(try await client.manager.validToken().value == "at-bob")
    // Nobody will use what the request brought.
    #expect(await until { client.refresher.revoked == ["rt-secret-2"] })
  }

  // MARK: Logging out

  @Test func `a logout that the store refuses is finished later`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    await client.store.failAlways(true)
    #expect(await client.manager.logOut() == false)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .loggedOut)
    #expect(await client.manager.state == .loggedOut)
    await client.store.failAlways(false)
    #expect(await until { await client.store.stored == nil })
    #expect(client.refresher.revoked == ["rt-secret-1"])
  }

  @Test func `a logout while the store can't be read counts, and is finished later`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let store = Unreadable(client.store)
    let manager = try TokenManager(
      store: store, refresher: client.refresher, settings: Client.settings, clock: client.clock.tokenClock)
    #expect(await manager.logOut() == false)
    #expect(await failure { _ = try await manager.validToken() }?.code == .loggedOut)
    store.mend()
    #expect(await until { await client.store.stored == nil })
    // A login after that stays.
    try await manager.logIn(tokens(5))
    for _ in 0..<100 { await Task.yield() }
    #expect(try await manager.validToken().value == "at-secret-5")
  }

  @Test func `a login takes the place of one that could not be removed`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    await client.store.fail([0])
    #expect(await client.manager.logOut(revoking: false) == false)
    try await client.manager.logIn(tokens(5))
    for _ in 0..<200 { await Task.yield() }
    #expect(await client.store.stored?.refreshToken == "rt-secret-5")
    #expect(try await client.manager.validToken().value == "at-secret-5")
  }

  @Test func `a logout while a login is being stored ends that login`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let slow = Unreadable(client.store, holdsWrites: true)
    let manager = try TokenManager(
      store: slow, refresher: client.refresher, settings: Client.settings, clock: client.clock.tokenClock)
    slow.mend()
    let login = Task { try await manager.logIn(tokens(5)) }
    #expect(await until { slow.gate.count == 1 })
    let logout = Task { await manager.logOut() }
    for _ in 0..<20 { await Task.yield() }
    slow.gate.open()
    try await login.value
    #expect(await logout.value)
    #expect(await failure { _ = try await manager.validToken() }?.code == .loggedOut)
    #expect(await client.store.stored == nil)
  }

  @Test func `invalidate without a login ends nothing`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    await client.manager.logOut()
    await client.manager.invalidate(.passwordChanged)
    #expect(await client.manager.state == .loggedOut)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .loggedOut)
  }

  @Test func `what the app has learned of a login's end counts while the store can't be read`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let store = Unreadable(client.store)
    func manager() throws -> TokenManager {
      try TokenManager(
        store: store, refresher: client.refresher, settings: Client.settings, clock: client.clock.tokenClock)
    }
    let first = try manager()
    #expect(await first.invalidate(.userDisabled) == false)
    #expect(await first.state == .reauthenticationRequired(.userDisabled))
    store.mend()
    #expect(await failure { _ = try await first.validToken() }?.code == .reauthenticationRequired)
    #expect(await until { await client.store.stored == nil })
    #expect(await failure { _ = try await manager().validToken() }?.code == .loggedOut)
  }

  @Test func `a login that is being stored in place of one that ends is not the one that ends`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let store = Unreadable(client.store, failsFirstReads: 1)
    let manager = try TokenManager(
      store: store, refresher: client.refresher, settings: Client.settings, clock: client.clock.tokenClock)
    async let login: Void = manager.logIn(tokens(5))
    async let isEnded = manager.invalidate(.passwordChanged)
    try await login
    #expect(await isEnded)
    #expect(try await manager.validToken().value == "at-secret-5")
    #expect(await client.store.stored?.refreshToken == "rt-secret-5")
  }

  @Test func `what the app learns while a login is being stored concerns the login before`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let store = Unreadable(client.store, holdsWrites: true, failsFirstReads: 1)
    let manager = try TokenManager(
      store: store, refresher: client.refresher, settings: Client.settings, clock: client.clock.tokenClock)
    let login = Task { try await manager.logIn(tokens(5)) }
    #expect(await until { store.gate.count == 1 })
    let end = Task { await manager.invalidate(.passwordChanged) }
    for _ in 0..<20 { await Task.yield() }
    store.gate.open()
    try await login.value
    #expect(await end.value)
    #expect(try await manager.validToken().value == "at-secret-5")
    #expect(await client.store.stored?.refreshToken == "rt-secret-5")
  }

  @Test func `a login's end that the store refuses is said to be open`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    await client.store.failAlways(true)
    #expect(await client.manager.invalidate(.passwordChanged) == false)
    #expect(await client.manager.invalidate(.passwordChanged) == false)
    await client.store.failAlways(false)
    #expect(await until { await client.store.stored == nil })
    #expect(await client.manager.invalidate(.passwordChanged))
  }

  @Test func `what can't be read is removed when the app learns of the login's end`() async throws {
    // As a newer version of the app wrote it, which may be started again.
    let store = ByteStore(Array(#"{"version":9}"#.utf8))
    let manager = try TokenManager(
      store: store, refresher: ScriptedRefresher(.tokens(tokens(2))), settings: Client.settings,
      clock: VirtualClock().tokenClock)
    #expect(await manager.invalidate(.userDisabled))
    #expect(await store.bytes == nil)
    #expect(await manager.state == .reauthenticationRequired(.userDisabled))
  }

  // MARK: Proxies

  static let pages: [HTTPResponseValue] =
    [400, 401, 403].map { HTTPResponseValue(status: $0, body: Array("<html>no</html>".utf8)) } + [
      HTTPResponseValue(status: 200, body: Array(#"{"message":"welcome"}"#.utf8)),
      HTTPResponseValue(status: 403, body: Array(#"{"message":"blocked"}"#.utf8)),
      HTTPResponseValue(status: 403, body: Array(#"{"status":403,"error":"Forbidden","path":"/token"}"#.utf8)),
      HTTPResponseValue(status: 401, body: Array(#"{"error":"Not authorised"}"#.utf8)),
    ]

  @Test(arguments: pages.indices) func `no page of a proxy ends a login`(_ index: Int) async throws {
    let outcome = RefreshOutcome(of: Self.pages[index])
    let client = try await Client(
      ScriptedRefresher { number, _ in number < 12 ? outcome : .tokens(tokens(2)) })
    client.clock.advance(4000)
    for _ in 0..<12 {
      if try await client.manager.machine.state(at: Self.moment(client)) == .fresh { break }
      let error = await failure { _ = try await client.manager.validToken() }
      #expect(error == nil || error?.code == .temporarilyUnavailable)
      #expect(await client.store.stored?.refreshToken != nil)
      client.clock.advance(400)
    }
    #expect(await client.store.stored?.refreshToken == "rt-secret-2")
  }

  private static func moment(_ client: Client) throws -> RefreshMachine.Moment {
    RefreshMachine.Moment(date: client.clock.date, elapsed: client.clock.now)
  }

  // MARK: What can't be read

  @Test(arguments: [#"{"version":9}"#, "\u{FFFD}", ""])
  func `a stored document that can't be read is replaced by a login, and removed by a logout`(
    text: String
  ) async throws {
    let store = ByteStore(Array(text.utf8))
    func manager() throws -> TokenManager {
      try TokenManager(
        store: store, refresher: ScriptedRefresher(.tokens(tokens(2))), settings: Client.settings,
        clock: VirtualClock().tokenClock)
    }
    let first = try manager()
    #expect(await failure { _ = try await first.validToken() }?.code == .recordMalformed)
    try await first.logIn(tokens(1))
    #expect(try await first.validToken().value == "at-secret-1")
    #expect(try await manager().validToken().value == "at-secret-1")
    await store.damage(Array(text.utf8))
    #expect(try await manager().logOut())
    #expect(await store.bytes == nil)
  }

  // MARK: How long a token lasts

  @Test func `a token that is asked for longer than tokens live is refused, and nothing is rotated`() async throws {
    let client = try await Client(ScriptedRefresher { number, _ in .tokens(tokens(number + 2)) })
    for _ in 0..<3 {
      let error = await failure { _ = try await client.manager.validToken(minimumRemaining: .seconds(7200)) }
      #expect(error == OpenIDError(.settingInvalid, "", name: "minimumRemaining"))
    }
    #expect(client.refresher.attempts.isEmpty)
    client.clock.advance(1800)
    #expect(try await client.manager.validToken(minimumRemaining: .seconds(2400)).value == "at-secret-2")
    #expect(try await client.manager.validToken(minimumRemaining: .seconds(2400)).value == "at-secret-2")
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `a call fails if the refreshed token lasts less than minimumRemaining`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2, expiresIn: .seconds(600)))))
    client.clock.advance(1800)
    let error = await failure { _ = try await client.manager.validToken(minimumRemaining: .seconds(2400)) }
    #expect(error?.name == "minimumRemaining" && client.refresher.attempts.count == 1)
    #expect(try await client.manager.validToken().value == "at-secret-2")
  }

  @Test func `a 401 for an old token gets no token that has expired`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2)), .tokens(tokens(3))))
    let stale = try await client.manager.validToken()
    client.clock.advance(3400)
    _ = try await client.manager.validToken()
    client.clock.advance(4000)
    #expect(try await client.manager.handleUnauthorized(stale).value == "at-secret-3")
  }
}

/// A store whose reads fail until it is mended, and whose writes can be held back.
final class Unreadable: SecretStore {
  private let inner: FaultyStore
  private let isMended = Mutex(false)
  let gate = Gate()
  private let holdsWrites: Bool
  private let failingReads: Mutex<Int>

  init(_ inner: FaultyStore, holdsWrites: Bool = false, failsFirstReads count: Int? = nil) {
    self.inner = inner
    self.holdsWrites = holdsWrites
    failingReads = Mutex(count ?? 0)
    if count != nil { mend() }
  }

  func mend() { isMended.withLock { $0 = true } }

  func load() async throws -> StoredSecret? {
    let fails = failingReads.withLock { count in
      defer { count = max(0, count - 1) }
      return count > 0
    }
    guard isMended.withLock({ $0 }), !fails else { throw FaultyStore.Failure() }
    return await inner.load()
  }

  func replace(expecting version: [UInt8]?, with document: [UInt8]?) async throws -> [UInt8]? {
    guard isMended.withLock({ $0 }) else { throw FaultyStore.Failure() }
    if holdsWrites { await gate.pass() }
    return try await inner.replace(expecting: version, with: document)
  }
}

/// A store of bytes, as one in a file or a keychain is.
actor ByteStore: SecretStore {
  private(set) var bytes: [UInt8]?

  init(_ bytes: [UInt8]?) { self.bytes = bytes }

  func damage(_ bytes: [UInt8]) { self.bytes = bytes }

  func load() -> StoredSecret? { bytes.map { StoredSecret(document: $0, version: $0) } }

  func replace(expecting version: [UInt8]?, with document: [UInt8]?) -> [UInt8]? {
    guard bytes == version else { return nil }
    bytes = document
    return document ?? []
  }
}
