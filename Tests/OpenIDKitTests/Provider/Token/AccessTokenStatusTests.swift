import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Access tokens whose status stands in the provider's list, at a resource server that asks about none of them.
@Suite struct AccessTokenStatusTests {
  /// The way from a resource server to the provider as it is now.
  private final class Road: Sendable {
    let requests = Mutex<[String]>([])
    let provider: Mutex<OpenIDProvider>

    init(_ provider: OpenIDProvider) { self.provider = Mutex(provider) }

    func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
      requests.withLock { $0.append(request.url) }
      let provider = provider.withLock { $0 }
      return try #require(await provider.respond(to: request, from: "api"))
    }
  }

  /// A resource server.
  private struct ResourceServer {
    let road: Road
    private let verifier: JWTVerifier
    private let lists: StatusLists

    init(_ world: ProviderWorld, leeway: Duration = .zero) {
      let (road, keys) = (Road(world.provider), world.provider.keys.verification)
      let ofLists = JWTVerifier(
        keys: keys, algorithms: [.es256],
        policy: JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: world.clock.wall))
      lists = StatusLists(verifier: ofLists, timeLimit: .seconds(3600)) { try await road.send($0) }
      var policy = JWTPolicy.accessToken(
        issuer: ProviderWorld.issuer, audience: ProviderWorld.issuer, clock: world.clock.wall)
      (policy.leeway, policy.refusesFutureIssuedAt) = (leeway, false)
      policy.status = .required(lists)
      self.road = road
      verifier = JWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
    }

    func verdict(_ token: String?) async -> String {
      do throws(JOSEError) {
        _ = try await lists.loading { () throws(JOSEError) in try verifier.verify(token ?? "") }
        return "accepted"
      } catch {
        return "\(error.code)"
      }
    }
  }

  private static func world(_ ending: OpenIDProviderTests.Ending? = nil) async throws -> ProviderWorld {
    try await ProviderWorld(policy: {
      $0.statusListTimeToLive = .seconds(60)
      $0.rotation.revokesPreviousAccessToken = ending == .generation
    })
  }

  @Test(arguments: OpenIDProviderTests.Ending.allCases)
  func `a token that has ended is refused within one ttl by a server that asks about no token`(
    _ ending: OpenIDProviderTests.Ending
  ) async throws {
    let world = try await Self.world(ending)
    let server = ResourceServer(world)
    let code = try await world.code()
    let answer = try await world.redeem(code)
    let token = answer.member("access_token")
    let other = try await world.redeem(try await world.code(client: "app"), client: "app").member("access_token")
    world.clock.advance(10)
    #expect(await server.verdict(token) == "accepted")
    let changed = try await ending.happen(in: world, code: code, answer).provider
    server.road.provider.withLock { $0 = changed }
    world.clock.advance(59)
    #expect(await server.verdict(token) == "accepted")
    world.clock.advance(1)
    #expect(await server.verdict(token) == "statusRefused")
    // What rests on something else goes on.
    let goesOn = ![.session, .user, .client].contains(ending)
    #expect(await server.verdict(other) == (goesOn ? "accepted" : "statusRefused"))
    #expect(server.road.requests.withLock { Set($0) } == [ProviderWorld.issuer + "/statuslist"])
    #expect(server.road.requests.withLock { $0.count } == 2)
  }

  @Test func `a token that has ended stays so while verifiers allow for clocks, and when a clock is set back`()
    async throws
  {
    let world = try await Self.world()
    let answer = try await world.redeem(try await world.code())
    let expiry = try #require(try world.claims(answer.member("access_token"))["exp"]?.int64Value)
    world.clock.advance(10)
    try await world.sessions.disableUser("jane")
    var server = ResourceServer(world, leeway: .seconds(600))
    world.clock.advance(Double(expiry) - world.clock.wall.now.secondsSince1970 + 590)
    #expect(await server.verdict(answer.member("access_token")) == "statusRefused")
    world.clock.advance(11)
    #expect(await server.verdict(answer.member("access_token")) == "claimExpired")
    // The machine that issues tokens had a clock an hour ahead.
    let ahead = try await Self.world()
    let token = try await ahead.redeem(try await ahead.code()).member("access_token")
    try await ahead.sessions.disableUser("jane")
    ahead.clock.advance(-1000)
    server = ResourceServer(ahead)
    #expect(await server.verdict(token) == "statusRefused")
  }

  @Test func `each token has a place of its own, which is free when the token has expired`() async throws {
    let world = try await Self.world()
    var (tokens, places) = ([String?](), Set<StatusReference>())
    for _ in 0..<20 {
      let token = try await world.redeem(try await world.code(client: "app"), client: "app").member("access_token")
      tokens.append(token)
      places.insert(try #require(try StatusReference(in: world.claims(token))))
    }
    #expect(places.count == 20 && places.allSatisfy { $0.uri == ProviderWorld.issuer + "/statuslist" })
    #expect(places.map(\.index).max() ?? 0 > 1000)
    #expect(world.records.count(of: "access-token-status") == 20)
    world.clock.advance(100_000)
    #expect(try await world.records.removeExpired(before: world.clock.wall.now, limit: 1000) >= 20)
  }

  @Test func `a token that is younger than its login's records is valid`() async throws {
    let world = try await Self.world()
    let server = ResourceServer(world)
    let answer = try await world.redeem(try await world.code())
    try await world.sessions.disableUser("jane")
    world.clock.advance(4)
    #expect(await server.verdict(answer.member("access_token")) == "accepted")
    world.clock.advance(60)
    #expect(await server.verdict(answer.member("access_token")) == "statusRefused")
  }

  @Test func `the list is made anew after a quarter of its time, and says since when it holds`() async throws {
    let world = try await Self.world()
    func fetch(_ method: String = "GET") async throws -> HTTPResponseValue {
      let request = HTTPRequestValue(method: method, url: ProviderWorld.issuer + "/statuslist")
      return try #require(await world.provider.respond(to: request, from: "a"))
    }
    let first = try await fetch()
    #expect(first.status == 200 && first.headers.values("Content-Type") == ["application/statuslist+jwt"])
    #expect(first.headers.values("Cache-Control") == ["max-age=15"])
    #expect(first.headers.values("Access-Control-Allow-Origin") == ["*"])
    func issuedAt(_ response: HTTPResponseValue) throws -> JSONValue? {
      try world.claims(String(decoding: response.body, as: UTF8.self))["iat"]
    }
    world.clock.advance(14)
    #expect(try issuedAt(try await fetch()) == issuedAt(first))
    // It is renewed in the background.
    world.clock.advance(1)
    #expect(try issuedAt(try await fetch()) == issuedAt(first))
    var rounds = 0
    while try issuedAt(try await fetch()) == issuedAt(first), rounds < 10_000 {
      rounds += 1
      try await Task.sleep(for: .milliseconds(1))
    }
    let second = try await fetch()
    #expect(try issuedAt(second) != issuedAt(first))
    // After half of its time who asks waits for the next one.
    world.clock.advance(30)
    #expect(try issuedAt(try await fetch()) != issuedAt(second))
    // One that can't be renewed serves to its end.
    let third = try await fetch()
    world.records.fail { $0.name == "access-token-status" }
    world.clock.advance(59)
    #expect(try issuedAt(try await fetch()) == issuedAt(third))
    world.clock.advance(3)
    #expect(try await fetch().status == 503)
    world.records.fail { _ in false }
    world.clock.advance(3)
    #expect(try await fetch("HEAD").body.isEmpty)
    #expect(try await fetch("POST").status == 405)
    let metadata = try await world.provider.metadata()
    #expect(!metadata.members.contains { $0.value.stringValue?.hasSuffix("/statuslist") == true })
  }

  @Test func `a list is made once for all who ask at once, and again after one that failed`() async throws {
    let world = try await Self.world()
    _ = try await world.redeem(try await world.code())
    let request = HTTPRequestValue(method: "GET", url: ProviderWorld.issuer + "/statuslist")
    world.records.fail { $0.name == "access-token-status" }
    #expect(await world.provider.respond(to: request, from: "a")?.status == 503)
    world.records.fail { _ in false }
    let bodies = await withTaskGroup(of: [UInt8]?.self) { group in
      for _ in 0..<20 { group.addTask { await world.provider.respond(to: request, from: "a")?.body } }
      return await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
    }
    // Signatures are made anew each time, so one text is one list.
    #expect(bodies.count == 1)
  }

  @Test func `without a list tokens name none, and stores that fail give no token and no list`() async throws {
    let plain = try await ProviderWorld()
    let answer = try await plain.redeem(try await plain.code())
    #expect(try plain.claims(answer.member("access_token"))["status"] == nil)
    let request = HTTPRequestValue(method: "GET", url: ProviderWorld.issuer + "/statuslist")
    #expect(await plain.provider.respond(to: request, from: "a") == nil)
    #expect(plain.records.count(of: "access-token-status") == 0)
    let world = try await Self.world()
    let code = try await world.code()
    world.records.fail { $0.name == "access-token-status" }
    #expect(try await world.redeem(code).status == 503)
    #expect(await world.provider.respond(to: request, from: "a")?.status == 503)
    for time in [9, 86_401] {
      await #expect(throws: OpenIDError(.settingInvalid, "", name: "statusListTimeToLive")) {
        try await ProviderWorld(policy: { $0.statusListTimeToLive = .seconds(time) })
      }
    }
  }
}
