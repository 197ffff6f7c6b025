import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

/// Guesses at one account: none goes on for ever, the user is told, and gets in meanwhile.
@Suite struct GuessTests {
  private static func source(_ number: Int) -> SourceAddress {
    SourceAddress("10.\(number / 250).0.\(number % 250 + 1)")
  }

  /// Whether a password was looked at, and was wrong.
  private static func isLookedAt(
    _ world: World, _ password: String = "wrong", of username: String = "alice", from number: Int
  ) async throws -> Bool {
    let verdict = try await world.provider.checkPassword(password, of: username, from: source(number))
    if case .wrong = verdict { return true }
    return false
  }

  @Test(arguments: ["alice", "nobody"])
  func `many addresses together can try at most a hundred passwords of one user`(name: String) async throws {
    try await World.run { world in
      var (count, last) = (0, 0)
      for round in 0..<1000 {
        if try await Self.isLookedAt(world, of: name, from: round) { (count, last) = (count + 1, round) }
        world.wait(round < 100 ? 2 : 3700)
      }
      #expect(count == 100)
      #expect(last < 400)
      // The right one isn't looked at either.
      if name == "alice" {
        let verdict = try await world.provider.checkPassword(World.password, of: name, from: Self.source(2000))
        guard case .blocked(_, isOfName: true) = verdict else {
          Issue.record("\(verdict)")
          return
        }
      }
    }
  }

  @Test func `parallel password guesses are limited like sequential ones`() async throws {
    try await World.run { world in
      let count = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<200 { group.addTask { try await Self.isLookedAt(world, from: number) } }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(count == 20)
    }
  }

  @Test func `waiting times double up to an hour, and a clock set back doesn't lengthen them`() async throws {
    let rule = GuessCounter.Rule(key: "k", user: nil, free: 10, interval: 60)
    #expect((8...18).map(rule.wait) == [0, 0, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
    #expect(rule.wait(after: .max) == 3600)
    #expect(GuessCounter.Rule(key: "k", user: nil, free: 1, interval: 7200).wait(after: 9) == 7200)
    try await World.run { world in
      let guesses = world.provider.guesses
      for _ in 0..<10 { #expect(try await guesses.attempt([rule]) == .allowed) }
      #expect(try await guesses.attempt([rule]) == .wait(seconds: 60))
      world.wait(-100_000)
      #expect(try await guesses.attempt([rule]) == .wait(seconds: 60))
      world.wait(59)
      #expect(try await guesses.attempt([rule]) == .wait(seconds: 1))
      world.wait(1)
      #expect(try await guesses.attempt([rule]) == .allowed)
      #expect(try await guesses.attempt([rule]) == .wait(seconds: 120))
      try await guesses.succeeded([rule])
      #expect(try await guesses.attempt([rule]) == .allowed)
    }
  }

  @Test func `one network's password guesses close the account for that network alone`() async throws {
    try await World.run { world in
      var count = 0
      for _ in 0..<2000 {
        if try await Self.isLookedAt(world, from: 1) { count += 1 }
        world.wait(60)
      }
      // By itself it is closed there, long before the account is.
      #expect(count == 30)
      let verdict = try await world.provider.checkPassword(World.password, of: "alice", from: Self.source(2))
      guard case .right = verdict else {
        Issue.record("\(verdict)")
        return
      }
    }
  }

  @Test func `a known browser or Mac logs in while strangers' guesses have closed the password`() async throws {
    try await World.run(changing: { $0.trustsForwardedAddress = true }) { world in
      let known = TestBrowser(world, from: "198.51.100.1")
      _ = try await known.logIn(try await known.open("/login"))
      let mac = SourceAddress("198.51.100.2")
      _ = try await world.provider.checkPassword(World.password, of: "alice", from: mac, device: "key")
      for round in 0..<300 {
        _ = try await Self.isLookedAt(world, from: round)
        world.wait(3700)
      }
      let stranger = TestBrowser(world, from: "198.51.100.3")
      let answer = try await stranger.logIn(try await stranger.open("/login"))
      #expect(answer.status == .tooManyRequests && answer.headers[.retryAfter] == "3600")
      #expect(answer.text.contains("name=\"code\""))
      // A Mac and a browser on which the user has logged in before.
      let other = try await world.provider.checkPassword(World.password, of: "alice", from: mac, device: "another")
      if case .right = other { Issue.record("a Mac that nobody knows is a stranger") }
      let verdict = try await world.provider.checkPassword(World.password, of: "alice", from: mac, device: "key")
      if case .right = verdict {} else { Issue.record("\(verdict)") }
      // A Mac that is known has an end of its own.
      for round in 0..<200 {
        _ = try await world.provider.checkPassword("wrong \(round)", of: "alice", from: mac, device: "key")
        world.wait(3700)
      }
      let closed = try await world.provider.checkPassword(World.password, of: "alice", from: mac, device: "key")
      if case .right = closed { Issue.record("two hundred guesses on one Mac") }
      let still = TestBrowser(world, from: "198.51.100.5")
      #expect(try await still.logIn(try await still.open("/login")).status == .tooManyRequests)
      // An administrator opens all.
      var change = UserChange()
      change.reopens = true
      #expect(try await world.provider.guesses.closedUsers() == [world.user.id])
      try await world.provider.change(world.user, change)
      #expect(try await world.provider.guesses.closedUsers().isEmpty)
      let opened = TestBrowser(world, from: "198.51.100.4")
      #expect(try await opened.logIn(try await opened.open("/login")).status == .ok)
      // So does a login of the user.
      for round in 0..<300 {
        _ = try await Self.isLookedAt(world, from: round)
        world.wait(3700)
      }
      #expect(try await still.logIn(try await still.open("/login")).status == .tooManyRequests)
      #expect(try await known.logIn(try await known.open("/login")).page == "guesses")
      #expect(try await still.logIn(try await still.open("/login")).status == .ok)
    }
  }

  /// Turns a second factor on, and returns its seed and the recovery codes.
  private static func enable(_ world: World) async throws -> (seed: [UInt8], recovery: [String]) {
    let seed = RandomText.octets(20)
    let recovery = try await world.provider.secondFactors.enable(
      seed: seed, code: code(world, seed), of: world.user)
    world.wait(60)
    return (seed, try #require(recovery))
  }

  private static func code(_ world: World, _ seed: [UInt8]) -> String {
    OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: world.provider.clock.now))
  }

  @Test func `a second factor logs its user in while strangers' guesses have closed the password`() async throws {
    try await World.run(changing: { $0.trustsForwardedAddress = true }) { world in
      let (seed, recovery) = try await Self.enable(world)
      for round in 0..<300 {
        _ = try await Self.isLookedAt(world, from: round)
        world.wait(3700)
      }
      func logIn(_ code: String, _ password: String = World.password, from: String) async throws -> TestResponse {
        let browser = TestBrowser(world, from: from)
        return try await browser.submit(
          try await browser.open("/login"), "/login", ["username": "alice", "password": password, "code": code])
      }
      #expect(try await logIn("123456", from: "198.51.100.1").status == .unauthorized)
      #expect(try await logIn(Self.code(world, seed), "wrong", from: "198.51.100.1").status == .unauthorized)
      world.wait(60)
      let code = Self.code(world, seed)
      #expect(try await logIn(code, from: "198.51.100.1").page == "guesses")
      // It was used up.
      #expect(try await logIn(code, from: "198.51.100.1").status == .unauthorized)
      // Those who guess at codes first reach an end, too, and keep no recovery code out.
      for round in 0..<300 {
        _ = try await logIn("\(100_000 + round)", from: "10.1.\(round % 200).1")
        world.wait(3700)
      }
      #expect(try await logIn(Self.code(world, seed), from: "198.51.100.1").status == .tooManyRequests)
      #expect(try await logIn(recovery[0], from: "198.51.100.1").status == .ok)
    }
  }

  @Test func `a right password with a wrong second factor is refused, even in a known browser`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"))
      _ = try await Self.enable(world)
      _ = try await browser.open("/logout")
      for code in ["123456", "ABCDEFGHIJKLMNOP"] {
        let page = try await browser.submit(
          try await browser.open("/login"), "/login", ["username": "alice", "password": World.password, "code": code])
        #expect(page.status == .unauthorized)
      }
      let unset = try await world.provider.checkPassword(
        World.password, of: "alice", from: SourceAddress("10.0.0.1"), after: "")
      if case .right = unset { Issue.record("an empty code") }
    }
  }

  @Test func `a hundred wrong codes close a second factor, except to known browsers and recovery codes`() async throws {
    try await World.run { world in
      let (seed, recovery) = try await Self.enable(world)
      let address = SourceAddress("10.0.0.1")
      func check(_ code: String, cookie: String? = nil) async throws -> Provider.CodeVerdict {
        try await world.provider.checkCode(code, of: world.user, from: address, cookie: cookie)
      }
      var count = 0
      for round in 0..<400 {
        if case .wrong = try await check("00000\(round % 10)") { count += 1 }
        world.wait(3700)
      }
      #expect(count == 100)
      if case .right = try await check(Self.code(world, seed)) { Issue.record("after a hundred guesses") }
      // The user's own browser is not concerned, and its cookie can't be made up.
      if case .right = try await check(Self.code(world, seed), cookie: "made.up") {
        Issue.record("with a made-up cookie")
      }
      let cookie = world.provider.knownBrowser(of: world.user)
      if case .right = try await check(Self.code(world, seed), cookie: cookie) {
      } else {
        Issue.record("a known browser")
      }
      if case .right = try await check(recovery[1]) {} else { Issue.record("a recovery code") }
    }
  }

  @Test func `a user is told of guesses at the next login`() async throws {
    try await World.run(changing: { $0.trustsForwardedAddress = true }) { world in
      for number in 0..<19 { _ = try await Self.isLookedAt(world, from: number) }
      let browser = TestBrowser(world, from: "198.51.100.1")
      // A few are the user's own mistakes, as far as the provider knows: the account page has them.
      let account = try await browser.logIn(try await browser.open("/login"))
      #expect(account.page == "account" && account.text.contains("19 wrong passwords"))
      _ = try await Self.isLookedAt(world, from: 20)
      _ = try await browser.open("/logout")
      let page = try await browser.open("/authorize?" + browser.request(["prompt": "login"]).encodedAsQuery())
      let told = try await browser.logIn(page)
      #expect(told.page == "guesses" && told.text.contains("20 wrong passwords"))
      // The request that waited goes on.
      let consent = try await browser.submit(told, "/login/told", [:])
      #expect(consent.page == "consent")
      #expect(try await browser.open("/account").text.contains("wrong passwords") == false)
      #expect(try await browser.open("/login/told?request=another").status == .badRequest)
    }
  }

  @Test func `a guess is forgotten after 90 days, and one that is taken back doesn't count`() async throws {
    try await World.run { world in
      for round in 0..<300 {
        _ = try await Self.isLookedAt(world, from: round)
        world.wait(3700)
      }
      #expect(try await !Self.isLookedAt(world, from: 500))
      _ = try await world.provider.sweep(limit: 1000)
      #expect(try await !Self.isLookedAt(world, from: 500))
      world.wait(91 * 86_400)
      _ = try await world.provider.sweep(limit: 1000)
      #expect(try await Self.isLookedAt(world, from: 500))
      let rule = GuessCounter.Rule(key: "k", user: nil, free: 3, interval: 60)
      for _ in 0..<9 {
        #expect(try await world.provider.guesses.attempt([rule]) == .allowed)
        try await world.provider.guesses.takeBack([rule])
      }
    }
  }
}
