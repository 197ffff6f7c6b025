import JOSE
import Synchronization
import Testing

@testable import AppleSignInKit

@Suite struct KeyStoreTests {
  /// A server of key sets that can be changed, switched off and counted.
  final class Server: Sendable {
    struct State { var keys: JWKSet; var fetches = 0; var isDown = false; var cacheControl: String? }
    private let state: Mutex<State>

    init(_ keys: JWKSet, cacheControl: String? = nil) { state = Mutex(State(keys: keys, cacheControl: cacheControl)) }

    var fetches: Int { state.withLock { $0.fetches } }
    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func answer() async throws -> HTTPResponseValue {
      await Task.yield()
      return try state.withLock {
        $0.fetches += 1
        struct Down: Error {}
        if $0.isDown { throw Down() }
        let headers = $0.cacheControl.map { [("Cache-Control", $0)] } ?? []
        return HTTPResponseValue(status: 200, headers: HTTPHeaderFields(known: headers), body: $0.keys.serialized())
      }
    }
  }

  private func keys(_ names: String...) throws -> JWKSet {
    JWKSet(try names.compactMap { try SigningKey.generate(.es256, keyID: $0).verificationKey.publicJWK })
  }

  private func store(_ server: Server, _ clock: ManualClock) -> AppleKeyStore {
    AppleKeyStore(clock: clock.wallClock) { _ in try await server.answer() }
  }

  @Test func `P27 an unknown key name causes one fetch, after a rotation`() async throws {
    let server = Server(try keys("old"))
    let clock = ManualClock(0)
    let store = store(server, clock)
    _ = try await store.keys(containing: "old")
    server.change { $0.keys = (try? self.keys("old", "new")) ?? $0.keys }
    clock.move(to: 61)
    #expect(try await store.keys(containing: "new").keys.count == 2)
    #expect(server.fetches == 2)
  }

  @Test func `N35 a thousand made-up key names cause at most one fetch a minute`() async throws {
    let server = Server(try keys("real"))
    let clock = ManualClock(0)
    let store = store(server, clock)
    _ = try await store.keys(containing: "real")
    for index in 0..<1000 {
      clock.move(to: 60 + index * 60 / 1000)
      let error = await failure { _ = try await store.keys(containing: "made up \(index)") }
      // The service was asked for the first alone.
      let fault: ErrorCode.Fault = index == 0 ? .notAuthentic : .unavailable
      #expect(error?.code == .keyNotFound && error?.fault == fault)
    }
    #expect(server.fetches == 2)
  }

  @Test func `a token by a key that is newer than the last fetch is not called a forgery`() async throws {
    let fixture = try Fixture()
    let new = try SigningKey.generate(.es256, keyID: "new")
    let server = Server(fixture.keys)
    let clock = ManualClock(Fixture.now)
    let store = AppleKeyStore(service: fixture.service, clock: clock.wallClock) { _ in try await server.answer() }
    _ = try await store.keys(for: fixture.token(Fixture.claimsT))
    let published = fixture.keys.keys + [new.verificationKey.publicJWK].compactMap { $0 }
    server.change { $0.keys = JWKSet(published) }
    let token = try JWT.sign(Fixture.claimsT, with: new, type: nil)
    clock.move(to: Fixture.now + 59)
    let error = await failure { _ = try await store.keys(for: token) }
    #expect(error?.code == .keyNotFound && error?.fault == .unavailable)
    clock.move(to: Fixture.now + 60)
    #expect(try await store.keys(for: token).keys.count == 2)
  }

  @Test func `callers at once share a fetch`() async throws {
    let server = Server(try keys("k"))
    let store = store(server, ManualClock(0))
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 { group.addTask { (try? await store.keys(containing: "k")) != nil } }
      for await isThere in group { #expect(isThere) }
    }
    #expect(server.fetches == 1)
  }

  @Test func `a set lives as long as the server says, an hour by default, a day at most`() async throws {
    for (field, lifetime) in [(nil, 3600), ("public, Max-Age=120", 120), ("max-age=99999999999999999999", 86_400)]
      as [(String?, Int)]
    {
      let server = Server(try keys("k"), cacheControl: field)
      let clock = ManualClock(0)
      let store = store(server, clock)
      _ = try await store.keys(containing: "k")
      clock.move(to: lifetime - 1)
      _ = try await store.keys(containing: "k")
      #expect(server.fetches == 1)
      clock.move(to: lifetime)
      _ = try await store.keys(containing: "k")
      // Whoever asks for what is not there waits for the renewal that has begun.
      // It began before, and so may the answer.
      let error = await failure { _ = try await store.keys(containing: "nobody's") }
      #expect(error?.code == .keyNotFound && error?.fault == .unavailable)
      #expect(server.fetches == 2)
    }
  }

  @Test func `a stale set serves for a day while the server is down`() async throws {
    let server = Server(try keys("k"))
    let clock = ManualClock(0)
    let store = store(server, clock)
    _ = try await store.keys(containing: "k")
    server.change { $0.isDown = true }
    clock.move(to: 3600 + 86_399)
    #expect(try await store.keys(containing: "k").keys.count == 1)
    clock.move(to: 3600 + 86_400)
    #expect(await failure { _ = try await store.keys(containing: "k") }?.code == .keysUnavailable)
    server.change { $0.isDown = false }
    clock.move(to: 3600 + 86_400 + 60)
    #expect(try await store.keys(containing: "k").keys.count == 1)
  }

  @Test func `a hundred tokens while the key service is down cause one request`() async throws {
    let server = Server(try keys("k"))
    server.change { $0.isDown = true }
    let clock = ManualClock(1000)
    let store = store(server, clock)
    for index in 0..<100 {
      #expect(await failure { _ = try await store.keys(containing: "\(index)") }?.code == .keysUnavailable)
    }
    #expect(server.fetches == 1)
    clock.move(to: 1001)
    #expect(await failure { _ = try await store.keys(containing: "k") }?.code == .keysUnavailable)
    #expect(server.fetches == 2)
    server.change { $0.isDown = false }
    clock.move(to: 1061)
    #expect(try await store.keys(containing: "k").keys.count == 1)
  }

  @Test func `keys are fetched again after the clock was set back`() async throws {
    let server = Server(try keys("old"))
    let clock = ManualClock(1_000_000)
    let store = store(server, clock)
    _ = try await store.keys(containing: "old")
    server.change { $0.keys = (try? self.keys("new")) ?? $0.keys }
    clock.move(to: 500_000)
    #expect(try await store.keys(containing: "new").keys.count == 1)
    #expect(server.fetches == 2)
    for index in 0..<100 {
      let error = await failure { _ = try await store.keys(containing: "made up \(index)") }
      #expect(error?.code == .keyNotFound && error?.fault == .unavailable)
    }
    #expect(server.fetches == 2)
  }

  @Test func `a set from before the clock was set back is renewed, although its time lies far ahead`() async throws {
    let server = Server(try keys("k"))
    let clock = ManualClock(1_000_000)
    let store = store(server, clock)
    _ = try await store.keys(containing: "k")
    server.change { $0.keys = (try? self.keys("k", "new")) ?? $0.keys }
    clock.move(to: 500_000)
    _ = try await store.keys(containing: "k")
    #expect(try await store.keys(containing: "new").keys.count == 2)
    #expect(server.fetches == 2)
  }
}
