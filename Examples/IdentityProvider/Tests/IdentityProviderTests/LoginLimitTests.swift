import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

@Suite struct LoginLimitTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), (" 192.0.2.1:51000 ", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
    ("[::ffff:c000:201]:443", "192.0.2.1"), ("[2001:db8::1]:443", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
    ("2001:db8::1", "2001:db8::1"), ("fe80::1%eth0", "fe80::1"), ("unknown", ""), ("", ""),
  ])
  func `a source address is parsed without port, brackets, zone and IPv4-mapped prefix`(written: String, text: String) {
    #expect(SourceAddress(written).text == text)
  }

  @Test func `limits count the first half of an IPv6 address`() {
    let network = SourceAddress("2001:db8:1:2::5").network
    #expect(SourceAddress("[2001:db8:1:2:ffff::1]:80").network == network)
    #expect(SourceAddress("2001:db8:1:3::5").network != network)
    #expect(SourceAddress("::ffff:192.0.2.1").network == SourceAddress("192.0.2.1:80").network)
    #expect(SourceAddress("192.0.2.2").network != SourceAddress("192.0.2.1").network)
  }

  @Test func `an IPv6 address counts for its first 48 bits, too, with a sixteenfold limit`() {
    let (one, another) = (SourceAddress("2001:db8:1:2::5"), SourceAddress("2001:db8:1:ff02::5"))
    #expect(one.counted.map(\.share) == [1, 16] && one.counted.last?.name == another.counted.last?.name)
    #expect(one.counted.first?.name != another.counted.first?.name)
    #expect(SourceAddress("2001:db8:2:2::5").site != one.site)
    #expect(SourceAddress("192.0.2.1").counted.map(\.share) == [1])
  }

  /// One of the 65,536 networks of a customer.
  private static func network(_ number: Int, site: String = "2001:db8:1") -> SourceAddress {
    SourceAddress("\(site):\(String(number, radix: 16))::1")
  }

  @Test func `all networks of one IPv6 prefix of 48 bits share the login attempts of 16 networks`() async throws {
    try await World.run(changing: { $0.loginAttemptsPerMinute = 1 }) { world in
      /// Whether a password from there is looked at. Each is for another name, none of which is slowed.
      func isChecked(_ number: Int, _ source: SourceAddress) async throws -> Bool {
        let verdict = try await world.provider.checkPassword("wrong", of: "name\(number)", from: source)
        if case .wrong = verdict { return true }
        return false
      }
      for number in 0..<160 {
        let isAllowed = try await isChecked(number, Self.network(number))
        #expect(isAllowed, "\(number)")
      }
      let beyond = try await isChecked(200, Self.network(200))
      #expect(!beyond)
      let elsewhere = try await isChecked(201, Self.network(200, site: "2001:db8:2"))
      #expect(elsewhere)
    }
  }

  @Test func `one network's flood of logins doesn't block other networks of its IPv6 prefix`() async throws {
    try await World.run(changing: { $0.loginAttemptsPerMinute = 1 }) { world in
      for number in 0..<2000 {
        _ = try await world.provider.checkPassword("wrong", of: "name\(number)", from: Self.network(1))
      }
      let verdict = try await world.provider.checkPassword("wrong", of: "another", from: Self.network(2))
      guard case .wrong = verdict else {
        Issue.record("it was not looked at: \(verdict)")
        return
      }
    }
  }

  @Test func `all networks of one IPv6 prefix of 48 bits share the stored requests of 16 networks`() async throws {
    try await World.run(changing: { $0.keptRequestsPerMinute = 2 }) { world in
      for number in 0..<32 {
        let isAllowed = try await world.provider.mayKeep(from: Self.network(number))
        #expect(isAllowed, "\(number)")
      }
      let beyond = try await world.provider.mayKeep(from: Self.network(200))
      #expect(!beyond)
      let elsewhere = try await world.provider.mayKeep(from: Self.network(200, site: "2001:db8:2"))
      #expect(elsewhere)
    }
  }

  /// What a browser at an address is told of a password.
  private static func logIn(
    _ world: World, from address: String, as username: String = "alice", _ password: String = "wrong"
  ) async throws -> TestResponse {
    let browser = TestBrowser(world, from: address)
    let fields: FormFields = ["username": username, "password": password]
    return try await browser.submit(try await browser.open("/login"), "/login", fields)
  }

  @Test(arguments: [["192.0.2.1:", ""], ["[2001:db8:1:2::", "]:443"]])
  func `login limits ignore the port and the second half of an IPv6 address`(parts: [String]) async throws {
    try await World.run(changing: { $0.trustsForwardedAddress = true }) { world in
      for number in 1...world.provider.settings.loginAttemptsPerMinute {
        let answer = try await Self.logIn(world, from: parts[0] + "\(number)" + parts[1])
        #expect(answer.status == .unauthorized)
      }
      #expect(try await Self.logIn(world, from: parts[0] + "99" + parts[1]).status == .tooManyRequests)
    }
  }

  @Test func `one user's failed logins don't delay another user behind the same address`() async throws {
    try await World.run(changing: { $0.trustsForwardedAddress = true }) { world in
      _ = try await world.provider.addUser("bob", email: "bob@example.com", name: nil, password: World.password)
      for _ in 0..<11 { _ = try await Self.logIn(world, from: "192.0.2.1") }
      #expect(try await Self.logIn(world, from: "192.0.2.1").status == .tooManyRequests)
      #expect(try await Self.logIn(world, from: "192.0.2.1", as: "bob", World.password).page == "account")
    }
  }

  @Test func `failed logins from many addresses slow a name down without locking its user out`() async throws {
    try await World.run(changing: { $0.trustsForwardedAddress = true }) { world in
      let known = TestBrowser(world, from: "198.51.100.1")
      _ = try await known.logIn(try await known.open("/login"))
      var statuses: [HTTPResponse.Status] = []
      for number in 0..<60 {
        let answer = try await Self.logIn(world, from: "192.0.2.\(number)")
        statuses.append(answer.status)
        if answer.status != .unauthorized { #expect(Int(answer.headers[.retryAfter] ?? "") == 3) }
      }
      #expect(statuses.filter { $0 == .unauthorized }.count == 20)
      #expect(statuses.filter { $0 == .tooManyRequests }.count == 40)
      // A browser that has logged in before is no stranger.
      #expect(try await known.logIn(try await known.open("/login")).page == "guesses")
      world.wait(3)
      #expect(try await Self.logIn(world, from: "192.0.2.99", as: "alice", World.password).page == "guesses")
    }
  }

  @Test func `a known browser's cookie counts for its own user alone and has a limit of its own`() async throws {
    try await World.run { world in
      let alice = world.user
      let bob = User(id: "another", username: "bob", email: "", createdAt: alice.createdAt, updatedAt: alice.createdAt)
      let cookie = world.provider.knownBrowser(of: alice)
      #expect(world.provider.isKnownBrowser(cookie, of: alice))
      for other in ["", ".", String(cookie.dropLast()), "x" + cookie] {
        #expect(!world.provider.isKnownBrowser(other, of: alice), "\(other)")
      }
      #expect(!world.provider.isKnownBrowser(cookie, of: bob))
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"))
      for _ in 0..<world.provider.settings.loginAttemptsPerMinute {
        #expect(try await browser.logIn(try await browser.open("/login"), password: "wrong").status == .unauthorized)
      }
      #expect(try await browser.logIn(try await browser.open("/login")).status == .tooManyRequests)
      // It has used up nothing of its network's.
      #expect(try await Self.logIn(world, from: "", as: "alice", World.password).page == "account")
    }
  }
}
