import JOSE
import Testing

@testable import OpenIDKit

/// A refresh token works once: it rotates, and what it gives is what was granted.
@Suite struct RotationTests {
  @Test func `access tokens live as long as the login asks for, within the policy's limit`() async throws {
    var policy = RotationPolicy()
    policy.accessTokenLifetime = .seconds(1800)
    policy.maximumAccessTokenLifetime = .seconds(7200)
    let provider = try Provider(policy)
    for (asked, lifetime) in [
      (nil, 1800), (600, 600), (7200, 7200), (7201, 7200), (1, 60), (-1, 60), (1e20, 7200),
    ] as [(Double?, Int)] {
      var grant = Provider.grant
      grant.accessTokenLifetime = asked.map { .seconds($0) }
      let issued = try await provider.service.issue(grant)
      #expect(issued.grant.accessTokenLifetime == .seconds(lifetime))
      #expect(try await provider.redeem(issued.refreshToken).grant.accessTokenLifetime == .seconds(lifetime))
    }
    policy.maximumAccessTokenLifetime = .seconds(1799)
    #expect(throws: OpenIDError(.settingInvalid, "", name: "maximumAccessTokenLifetime")) { try Provider(policy) }
    policy.maximumAccessTokenLifetime = .seconds(86_401)
    #expect(throws: OpenIDError(.settingInvalid, "", name: "maximumAccessTokenLifetime")) { try Provider(policy) }
  }

  @Test func `S-P01 rotation, and the dead predecessors`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let second = try await provider.redeem(first)
    let third = try await provider.redeem(second.refreshToken)
    #expect([second.grant.generation, third.grant.generation] == [2, 3])
    #expect(provider.format.parse(first)?.generation == 1)
    provider.clock.advance(11)
    #expect(await failure { _ = try await provider.redeem(second.refreshToken) }?.code == .invalidGrant)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
  }

  @Test func `S-P05 a narrowed scope comes back`() async throws {
    let provider = try Provider()
    let second = try await provider.redeem(provider.issue(), scope: ["openid"])
    #expect(second.grant.scope == ["openid"])
    #expect(try await provider.redeem(second.refreshToken).grant.scope == ["openid", "profile"])
  }

  @Test func `S-P07 under single use the old access token dies with its refresh token`() async throws {
    let provider = try Provider(.singleUse)
    let issued = try await provider.service.issue(Provider.grant)
    func isActive(_ generation: UInt64) async throws -> Bool {
      try await provider.service.isAccessTokenActive(family: issued.grant.family, generation: generation)
    }
    #expect(try await isActive(1))
    _ = try await provider.redeem(issued.refreshToken)
    #expect(try await !isActive(1))
    #expect(try await isActive(2))
    try await provider.service.revoke(issued.grant.family, .administrator)
    #expect(try await !isActive(2))
  }

  @Test func `S-P09 a bound family with the right key, and without`() async throws {
    let provider = try Provider()
    var grant = Provider.grant
    grant.confirmation = "thumbprint"
    let first = try await provider.issue(grant)
    for wrong in [nil, "other", "thumbprin"] {
      #expect(await failure { _ = try await provider.redeem(first, confirmation: wrong) }?.code == .invalidGrant)
    }
    #expect(provider.log.kinds == Array(repeating: .confirmationMismatch, count: 3))
    #expect(try await provider.redeem(first, confirmation: "thumbprint").grant.generation == 2)
  }

  @Test func `S-P10 without rotation the token stays the same`() async throws {
    let provider = try Provider(.platformSSO)
    let first = try await provider.issue()
    for _ in 0..<3 { #expect(try await provider.redeem(first).refreshToken == first) }
  }

  @Test func `S-N06 scope and resources beyond the grant change nothing`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    #expect(await failure { _ = try await provider.redeem(first, scope: ["openid", "admin"]) }?.code == .invalidScope)
    let foreign = RefreshRedemption(refreshToken: first, clientID: "app-a", resources: ["https://other.example"])
    #expect(await failure { _ = try await provider.service.redeem(foreign) { _ in } }?.code == .invalidTarget)
    #expect(try await provider.family(first)?.generation == 1)
  }

  @Test func `S-N07 a fault while making the access token changes nothing`() async throws {
    struct Broken: Error {}
    let provider = try Provider()
    let first = try await provider.issue()
    let request = RefreshRedemption(refreshToken: first, clientID: "app-a")
    let error = await failure { _ = try await provider.service.redeem(request) { _ -> String in throw Broken() } }
    #expect(error?.code == .serverError)
    #expect(OAuthErrorResponse(try #require(error)).status == 500)
    #expect(try await provider.redeem(first).grant.generation == 2)
  }

  @Test func `S-N08 idle and absolute ends`() async throws {
    let provider = try Provider()
    let (first, second) = (try await provider.issue(), try await provider.issue())
    provider.clock.advance(30 * 86_400)
    let kept = try await provider.redeem(second).refreshToken
    provider.clock.advance(1)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
    #expect(try await provider.isRevoked(first, .expired))
    provider.clock.advance(29 * 86_400)
    let later = try await provider.redeem(kept).refreshToken
    provider.clock.advance(29 * 86_400)
    let last = try await provider.redeem(later).refreshToken
    provider.clock.advance(2 * 86_400)
    #expect(await failure { _ = try await provider.redeem(last) }?.code == .invalidGrant)
  }

  @Test func `S-N09 a disabled user`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    provider.users.disable("alice")
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
    #expect(try await provider.isRevoked(first, .userDisabled))
  }

  @Test func `a refresh for a disabled user is invalid_grant even if making tokens fails`() async throws {
    struct Gone: Error {}
    for isGoneBefore in [false, true] {
      let provider = try Provider()
      let first = try await provider.issue()
      let user = provider.users
      if isGoneBefore { user.disable("alice") }
      let request = RefreshRedemption(refreshToken: first, clientID: "app-a")
      let error = await failure {
        _ = try await provider.service.redeem(request) { _ -> String in
          user.disable("alice")
          throw Gone()
        }
      }
      #expect(error?.code == .invalidGrant)
      #expect(try await provider.isRevoked(first, .userDisabled))
    }
  }

  @Test func `a disabled user is the reason for a refusal, whatever else is wrong`() async throws {
    // A scope that was not granted, a predecessor whose time is over, and tokens that an endpoint refuses to make.
    for fault in 0..<3 {
      let provider = try Provider()
      let first = try await provider.issue()
      var request = RefreshRedemption(refreshToken: first, clientID: "app-a")
      if fault == 0 { request = RefreshRedemption(refreshToken: first, clientID: "app-a", scope: ["admin"]) }
      if fault == 1 {
        _ = try await provider.redeem(first)
        provider.clock.advance(3600)
      }
      provider.users.disable("alice")
      let error = await failure {
        _ = try await provider.service.redeem(request) { _ -> String in throw OAuthErrorResponse(.serverError, "later")
        }
      }
      #expect(error?.code == .invalidGrant)
      #expect(provider.log.reuses == 0)
      #expect(try await provider.isRevoked(first, .userDisabled))
    }
  }

  @Test func `policies out of range are refused by name`() throws {
    let changes: [(String, (inout RotationPolicy) -> Void)] = [
      ("grace", { $0.grace = .seconds(61) }), ("maximumReplays", { $0.maximumReplays = 0 }),
      ("accessTokenLifetime", { $0.accessTokenLifetime = .seconds(59) }),
      ("absoluteLifetime", { $0.absoluteLifetime = .zero }),
      ("idleTimeout", { $0.idleTimeout = .seconds(-1) }),
      ("maximumFamiliesPerUserAndClient", { $0.maximumFamiliesPerUserAndClient = 1001 }),
    ]
    for (name, change) in changes {
      var policy = RotationPolicy()
      change(&policy)
      #expect(throws: OpenIDError(.settingInvalid, "", name: name)) { try Provider(policy) }
    }
  }
}
