import HTTPTypes
import HummingbirdTesting
import JOSE
import PureCrypto
import Testing

@testable import IdentityProvider

/// Employees' cards: who gets one, what a site learns from it, and when it ends.
@Suite struct CardTests {
  private static let shop = "https://shop.example"
  private let wallet = JWK.generate(.es256)

  private static func withCards(_ body: @escaping @Sendable (World, TestBrowser) async throws -> Void) async throws {
    try await World.run(changing: { $0.employeeCardLifetime = 30 * 86_400 }) { world in
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"))
      try await body(world, browser)
    }
  }

  private static func order(
    _ key: String, _ browser: TestBrowser, password: String = World.password
  ) async throws -> TestResponse {
    try await browser.submit(try await browser.open("/account"), "/account/card", ["key": key, "password": password])
  }

  private static func card(_ wallet: JWK, _ browser: TestBrowser) async throws -> SDJWT {
    let page = try await order(String(decoding: wallet.publicKey?.serialized() ?? [], as: UTF8.self), browser)
    #expect(page.page == "card" && page.headers[.cacheControl] == "no-store")
    let text = page.text.split(separator: "spellcheck=\"false\">").last?.split(separator: "<").first
    return try SDJWT(parsing: String(try #require(text)))
  }

  /// What a site learns that asks the provider for its keys and its list.
  private static func seen(
    _ card: SDJWT, showing paths: [ClaimPath], by wallet: JWK, _ world: World
  ) async throws -> JSONObject {
    let send: HTTPTransport = { request in
      let path = String(request.url.dropFirst(World.issuer.count))
      let response = try await world.get(path)
      let type = response.headers[.contentType] ?? ""
      return HTTPResponseValue(
        status: response.status.code, headers: try HTTPHeaderFields([("Content-Type", type)]),
        body: Array(buffer: response.body))
    }
    let keys = RemoteKeySet(issuer: World.issuer, metadata: .credential, clock: world.clock, transport: send)
    let ofLists = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: world.clock)
    var policy = JWTPolicy(
      issuer: .anyOf([World.issuer]), audience: .notChecked, type: .anyOf(["dc+sd-jwt"]), clock: world.clock)
    policy.status = .required(
      StatusLists(verifier: RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: ofLists), transport: send))
    var verifier = RemoteSDJWTVerifier(
      verifier: RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy),
      keyBinding: .required(audience: shop, nonce: "n"))
    verifier.credentialTypes = [World.issuer + "/employee-card"]
    let shown = try card.presenting(paths).bound(
      to: shop, nonce: "n", with: SigningKey(wallet, algorithm: .es256), clock: world.clock)
    return try await verifier.verify(shown.compact).claims
  }

  @Test func `a site learns what the holder shows, and who else issued or holds nothing`() async throws {
    let wallet = wallet
    try await Self.withCards { world, browser in
      let card = try await Self.card(wallet, browser)
      let none = try await Self.seen(card, showing: [], by: wallet, world)
      #expect(Set(none.members.map(\.0)) == ["iss", "vct", "exp", "status", "cnf"])
      let some = try await Self.seen(card, showing: ["name", "email"], by: wallet, world)
      #expect(some["name"] == "Alice Archer" && some["email"] == "alice@example.com" && some["sub"] == nil)
      await #expect(throws: JOSEError.self) {
        try await Self.seen(card, showing: ["name"], by: JWK.generate(.es256), world)
      }
    }
  }

  @Test func `a card ends when it is taken back, when its user is disabled, and in time`() async throws {
    let wallet = wallet
    try await Self.withCards { world, browser in
      let (first, second) = (try await Self.card(wallet, browser), try await Self.card(wallet, browser))
      func code(_ card: SDJWT) async throws -> ErrorCode? {
        do {
          _ = try await Self.seen(card, showing: [], by: wallet, world)
          return nil
        } catch let error as JOSEError {
          return error.code
        }
      }
      #expect(try await code(first) == nil)
      let page = try await browser.open("/account")
      #expect(page.text.components(separatedBy: "action=\"/account/card/withdraw\"").count == 3)
      _ = try await browser.submit(page, "/account/card/withdraw", [:])
      #expect(try await browser.open("/account").text.components(separatedBy: "card/withdraw\"").count == 2)
      #expect(try await code(first) == .statusRefused)
      #expect(try await code(second) == nil)
      try await world.provider.sessions.disableUser(world.user.id)
      world.wait(151)
      #expect(try await code(second) == .statusRefused)
      world.wait(31 * 86_400)
      #expect(try await code(second) == .claimExpired)
    }
  }

  @Test func `nobody takes back the card of another user`() async throws {
    let wallet = wallet
    try await Self.withCards { world, browser in
      _ = try await Self.card(wallet, browser)
      let cards = try #require(world.provider.cards)
      let card = try #require(try await cards.cards(of: world.user.id).first)
      #expect(try await cards.withdraw(String(card.index), of: "somebody else") == false)
      #expect(try await cards.withdraw("x", of: world.user.id) == false)
      let another = try await world.provider.addUser(
        "bob", email: "bob@example.com", name: "Bob", password: World.password)
      try await cards.withdrawAll(of: another.id)
      #expect(try await cards.cards(of: world.user.id).count == 1)
      let form: FormFields = ["card": String(card.index)]
      #expect(try await world.post("/account/card/withdraw", form).status == .forbidden)
    }
  }

  @Test(arguments: ["", "{}", "private", "ed25519", "secret", "long"])
  func `a key that a card can't be bound to gets none`(_ kind: String) async throws {
    let wallet = wallet
    try await Self.withCards { world, browser in
      let text: String? =
        switch kind {
        case "private": String(decoding: wallet.serializedWithPrivateKey(), as: UTF8.self)
        case "ed25519": try JWK.generate(.eddsa).publicKey.map { String(decoding: try $0.serialized(), as: UTF8.self) }
        case "secret": #"{"kty":"oct","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"}"#
        case "long": String(repeating: " ", count: 5000)
        default: kind
        }
      let page = try await Self.order(try #require(text), browser)
      #expect(page.status == .badRequest && page.page == "account")
      #expect(page.text.contains("private key") == ["private", "secret"].contains(kind))
      #expect(try await world.provider.cards?.cards(of: world.user.id).isEmpty == true)
    }
  }

  @Test func `a card needs the password, and a recovered account has none`() async throws {
    let wallet = wallet
    let key = String(decoding: try #require(wallet.publicKey).serialized(), as: UTF8.self)
    try await Self.withCards { world, browser in
      #expect(try await browser.open("/account").text.contains("id=\"password-card\""))
      let refused = try await Self.order(key, browser, password: "wrong")
      #expect(refused.status == .forbidden && refused.page == "account")
      let card = try await Self.card(wallet, browser)
      _ = try await Self.seen(card, showing: [], by: wallet, world)
      var change = UserChange()
      change.removesPasskeys = true
      try await world.provider.change(world.user, change)
      let error = await #expect(throws: JOSEError.self) {
        try await Self.seen(card, showing: [], by: wallet, world)
      }
      #expect(error?.code == .statusRefused)
    }
  }

  @Test func `a user has fifty cards at most`() async throws {
    let key = String(decoding: try #require(wallet.publicKey).serialized(), as: UTF8.self)
    try await Self.withCards { world, _ in
      let (cards, signer) = (try #require(world.provider.cards), try await world.provider.keys.signingKey("ES256"))
      for _ in 0..<50 { _ = try await cards.issue(to: world.user, walletKey: key, signedWith: signer) }
      await #expect(throws: EmployeeCards.Refusal.tooMany) {
        try await cards.issue(to: world.user, walletKey: key, signedWith: signer)
      }
    }
  }

  @Test func `there are no cards unless a setting says so`() async throws {
    try await World.run { world in
      for path in ["/.well-known/jwt-vc-issuer", EmployeeCards.listPath] {
        #expect(try await world.get(path).status == .notFound)
      }
      let browser = TestBrowser(world)
      let page = try await browser.logIn(try await browser.open("/login"))
      #expect(!page.text.contains("Employee cards"))
    }
  }
}
