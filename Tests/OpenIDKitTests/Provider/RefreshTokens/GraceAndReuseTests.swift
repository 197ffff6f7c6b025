import JOSE
import Testing

@testable import OpenIDKit

/// What becomes of a token that comes again: grace, replays, reuse.
@Suite struct GraceAndReuseTests {
  @Test func `S-P03 the predecessor within the grace window gives the same successor`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let second = try await provider.redeem(first)
    provider.clock.advance(5)
    let replay = try await provider.redeem(first)
    #expect(replay.refreshToken == second.refreshToken && replay.isReplay && replay.grant.generation == 2)
    #expect(provider.log.kinds == [.rotated, .replayed])
  }

  @Test func `S-P04 simultaneous requests: one rotation, one successor`() async throws {
    var policy = RotationPolicy()
    policy.maximumReplays = 10
    let provider = try Provider(policy)
    let first = try await provider.issue()
    let results = try await withThrowingTaskGroup(of: RefreshResult<String>.self) { group in
      for _ in 0..<10 { group.addTask { try await provider.redeem(first) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(results.map(\.refreshToken)).count == 1)
    #expect(results.count { !$0.isReplay } == 1)
    #expect(try await provider.family(first)?.generation == 2)
  }

  @Test(arguments: [RotationPolicy.GraceMode.replaySuccessor, .newestWins])
  func `who comes more often than the grace forgives waits, and the login stays`(
    _ mode: RotationPolicy.GraceMode
  ) async throws {
    var policy = RotationPolicy()
    policy.graceMode = mode
    let provider = try Provider(policy)
    let first = try await provider.issue()
    var newest = try await provider.redeem(first).refreshToken
    for _ in 0..<3 { newest = try await provider.redeem(first).refreshToken }
    for _ in 0..<8 {
      let error = await failure { _ = try await provider.redeem(first) }
      #expect(error?.code == .tooManyRequests && error?.retryAfter == .seconds(1))
      #expect(error.map { OAuthErrorResponse($0).status } == 429)
    }
    #expect(try await provider.family(first)?.status == .active)
    #expect(provider.log.kinds == [.rotated, .replayed, .replayed, .replayed])
    // The successor is used: the predecessor is a grandparent's now.
    _ = try await provider.redeem(newest)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
    #expect(try await provider.isRevoked(first, .reuse))
  }

  @Test func `past the grace a predecessor that came too often is reuse`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    for _ in 0..<5 { _ = try? await provider.redeem(first) }
    provider.clock.advance(11)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
    #expect(try await provider.isRevoked(first, .reuse))
  }

  @Test func `S-N01 the predecessor after the grace window: one event, everything dead`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let second = try await provider.redeem(first)
    provider.clock.advance(10.5)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
    #expect(try await provider.isRevoked(first, .reuse))
    #expect(await failure { _ = try await provider.redeem(second.refreshToken) }?.code == .invalidGrant)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
    #expect(provider.log.reuses == 1)
    #expect(provider.log.kinds.contains(.reuse(presentedGeneration: 1, timeSinceRotation: .milliseconds(10_500))))
  }

  @Test func `S-N02 and S-N03 within the window, but the successor was used: a grandparent`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let second = try await provider.redeem(first)
    _ = try await provider.redeem(second.refreshToken)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
    #expect(try await provider.isRevoked(first, .reuse))
  }

  @Test func `S-N10 without grace, two requests at once end the login`() async throws {
    let provider = try Provider(.singleUse)
    let first = try await provider.issue()
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2 { group.addTask { await failure { _ = try await provider.redeem(first) } == nil } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 } == 1)
    #expect(try await provider.isRevoked(first, .reuse))
  }

  @Test func `S-N11 the fourth replay`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    _ = try await provider.redeem(first)
    for _ in 0..<3 { _ = try await provider.redeem(first) }
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .tooManyRequests)
    #expect(try await !provider.isRevoked(first, .reuse))
  }

  @Test func `S-N12 a check that only looks notices reuse as well`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let request = RefreshRedemption(refreshToken: first, clientID: "app-a")
    #expect(try await provider.service.check(request).generation == 1)
    _ = try await provider.redeem(first)
    provider.clock.advance(11)
    #expect(await failure { _ = try await provider.service.check(request) }?.code == .invalidGrant)
    #expect(try await provider.isRevoked(first, .reuse))
  }

  @Test func `newestWins: the unused successor dies, a sibling lives`() async throws {
    var policy = RotationPolicy()
    policy.graceMode = .newestWins
    let provider = try Provider(policy)
    let first = try await provider.issue()
    let second = try await provider.redeem(first).refreshToken
    let sibling = try await provider.redeem(first).refreshToken
    let third = try await provider.redeem(first).refreshToken
    #expect(Set([second, sibling, third]).count == 3)
    let fourth = try await provider.redeem(third).refreshToken
    #expect(try await provider.redeem(third).isReplay)
    #expect(await failure { _ = try await provider.redeem(sibling) }?.code == .invalidGrant)
    #expect(await failure { _ = try await provider.redeem(fourth) }?.code == .invalidGrant)
  }

  @Test func `reuse may end the session or be denied only`() async throws {
    for action in [RotationPolicy.ReuseAction.revokeSession, .deny] {
      var policy = RotationPolicy()
      policy.onReuse = action
      let provider = try Provider(policy)
      let (first, sibling) = (try await provider.issue(), try await provider.issue())
      let second = try await provider.redeem(first).refreshToken
      provider.clock.advance(11)
      #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
      #expect((await failure { _ = try await provider.redeem(second) } == nil) == (action == .deny))
      #expect((await failure { _ = try await provider.redeem(sibling) } == nil) == (action == .deny))
    }
  }

  @Test func `a retry at a machine whose clock is behind is forgiven`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let second = try await provider.redeem(first).refreshToken
    provider.clock.advance(-0.005)
    #expect(try await provider.redeem(first).refreshToken == second)
    #expect(provider.log.reuses == 0)
    provider.clock.advance(-90)
    #expect(await failure { _ = try await provider.redeem(first) }?.code == .invalidGrant)
  }
}
