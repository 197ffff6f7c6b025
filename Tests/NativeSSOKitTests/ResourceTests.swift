import IdentityTesting
import JOSE
import NativeSSOKit
import Testing
import OpenIDKit

/// What tokens are for (RFC 8707), from the request to the tokens.
@Suite(.timeLimit(.minutes(60))) struct ResourceTests {
  private static let (orders, mails) = ("https://orders.example", "https://mail.example/api")

  /// A provider whose clients may ask for two resources, and what its access tokens were made for.
  private struct Shop {
    let provider: OpenIDProvider
    let service: RefreshTokenService
    let world: World
    let made = Recorder<[String]>()

    init() async throws {
      world = try await World()
      service = try RefreshTokenService(
        format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), clock: world.clock.wall)
      var provider = world.provider
      provider.clients = StaticClientDirectory(
        World.clients.map { client in
          var client = client
          client.resources = client.id == "app-c" ? [] : [ResourceTests.orders, ResourceTests.mails]
          return client
        })
      provider.tokens = service.tokenIssuer { [made] grant, _ in
        made.append(grant.resources)
        return DeviceSecret.random().reveal()
      }
      self.provider = provider
    }
  }

  @Test func `an exchange is for the resources that it names, and those of the refresh token are the same`()
    async throws
  {
    let shop = try await Shop()
    for resources in [[], [Self.orders], [Self.mails, Self.orders]] {
      var request = World.exchangeRequest()
      var form = try request.form()
      for resource in resources { form.append("resource", resource) }
      request = .post(form, to: "/token")
      let answer = await shop.provider.tokenExchange(request, sourceAddress: "1")
      #expect(answer.status == 200, "\(answer.text)")
      #expect(shop.made.all.last == resources)
      let redemption = RefreshRedemption(
        refreshToken: try #require(answer["refresh_token"]), clientID: "app-b")
      #expect(try await shop.service.check(redemption).resources == resources)
    }
  }

  @Test(arguments: [("app-b", "https://other.example"), ("app-c", ResourceTests.orders), ("app-b", "orders")])
  func `an exchange for a resource that the client may not have is refused`(
    _ client: String, _ resource: String
  ) async throws {
    let shop = try await Shop()
    let request = World.exchangeRequest([("client_id", client), ("resource", resource)])
    #expect(await shop.provider.tokenExchange(request, sourceAddress: "1").error == "invalid_target")
    #expect(shop.made.all.isEmpty)
  }

  @Test func `a code's tokens are for what was asked with it, its refresh token for what was granted`() async throws {
    let shop = try await Shop()
    let codes = try AuthorizationCodeService(
      refreshTokens: shop.service, revokedTokens: nil, clock: shop.world.clock.wall)
    let grant = AuthorizationCodeGrant(
      clientID: "app-a", redirectURI: "com.example.app-a:/cb", scopes: ["openid"],
      resources: [Self.orders, Self.mails],
      subject: World.user, sessionID: World.session)
    let code = try await codes.issue(grant)
    let form = FormFields([("code", code), ("redirect_uri", grant.redirectURI), ("resource", Self.mails)])
    let request = try AuthorizationCodeRedemption(form: form, clientID: "app-a")
    let answer = try await codes.redeem(request) { code in try await shop.provider.tokens(for: AcceptedGrant(code)) }
    #expect(shop.made.all == [[Self.mails]])
    let token = try #require(answer.refreshToken)
    let refreshed = RefreshRedemption(refreshToken: token, clientID: "app-a", resources: [Self.orders])
    #expect(try await shop.service.check(refreshed).resources == [Self.orders])
    // The family has the name of the code's grant: with a second use of the code it ends.
    await #expect(throws: OpenIDError.self) { try await codes.redeem(request) { _ in } }
    await #expect(throws: OpenIDError.self) { try await shop.service.check(refreshed) }
  }
}
