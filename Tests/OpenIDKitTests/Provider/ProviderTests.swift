import IdentityTesting
import JOSE
import PureCrypto
import PureJOSETestSupport
import Synchronization
import Testing

@testable import OpenIDKit

@Suite struct ProviderTests {
  @Test func `logins of one moment make room for the next one, never for each other at random`() async throws {
    var policy = RotationPolicy()
    policy.maximumFamiliesPerUserAndClient = 2
    for _ in 0..<8 {
      let provider = try Provider(policy)
      var tokens: [String] = []
      for count in 1...6 {
        tokens.append(try await provider.issue())
        for (number, token) in tokens.enumerated() {
          let isActive = try await provider.family(token)?.status == .active
          #expect(isActive == (number >= count - 2))
        }
      }
    }
  }

  @Test(arguments: 1...3) func `logins that begin at once don't end each other`(maximum: Int) async throws {
    var policy = RotationPolicy()
    policy.maximumFamiliesPerUserAndClient = maximum
    let meeting = Meeting(of: maximum + 1)
    let records = HookedRecords(willList: { await meeting.wait() }, didCommit: { await meeting.arrive() })
    let service = try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records,
      clock: VirtualClock().wall)
    // All have begun before the first one looks whether it is one too many.
    try await withThrowingTaskGroup { group in
      for _ in 0...maximum { group.addTask { _ = try await service.issue(Provider.grant) } }
      try await group.waitForAll()
    }
    #expect(try await service.logins(.subject("alice")).count == maximum)
  }

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

  @Test func `who is gone when a family begins gets no token`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    provider.users.disable("alice")
    await #expect(throws: OpenIDError(.invalidGrant, "")) { try await provider.issue() }
    // The family that was begun is revoked, for the reason.
    #expect(provider.log.kinds == [.revoked(.userDisabled)])
    #expect(try await provider.service.logins(.subject("alice")).count == 1)
    await #expect(throws: OpenIDError(.invalidGrant, "")) { try await provider.redeem(token) }
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

  @Test func `S-P02 the format's vectors`() throws {
    let family = try #require(RefreshTokenFamily.ID(octets: hex("00112233445566778899aabbccddeeff")))
    let format = try RefreshTokenFormat(key: Array(0...31))
    let vectors = [
      (
        "rt1.ABEiM0RVZneImaq7zN3u_w.1.IVB_61tuENYCV9mPexqhTDpb-8mDhcY0hnjunNnhLQo",
        "9aa4534d186f5285b23afcc90ce0ba7772b146402dfcc28c74c1014b3671c0a3"
      ),
      (
        "rt1.ABEiM0RVZneImaq7zN3u_w.2.dAsrxMVqxnL7dmWwE2TfxZFpFgoDmxta6sVuhjMlYuY",
        "aa3ee73818cea950ea40dadd302228055d5f191557862db30199703a77123786"
      ),
      (
        "rt1.ABEiM0RVZneImaq7zN3u_w.3.rwFl3F2V134fo9zj3WnL0G-d5Olm87av24q5Yg3n_UA",
        "9c5b5670f15ea313490b9654665980276ec0c6433704a355f1e8242734cd6821"
      ),
    ]
    for (index, vector) in vectors.enumerated() {
      let generation = UInt64(index + 1)
      #expect(format.token(of: family, generation: generation) == vector.0)
      #expect(format.parse(vector.0) == .init(family: family, generation: generation))
      #expect(Hex.encode(SHA2.SHA256.hash(vector.0.utf8)) == vector.1)
    }
    #expect(throws: OpenIDError.self) { try RefreshTokenFormat(key: [UInt8](repeating: 1, count: 31)) }
  }

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

  @Test func `S-P05 a narrowed scope comes back`() async throws {
    let provider = try Provider()
    let second = try await provider.redeem(provider.issue(), scope: ["openid"])
    #expect(second.grant.scope == ["openid"])
    #expect(try await provider.redeem(second.refreshToken).grant.scope == ["openid", "profile"])
  }

  @Test func `S-P06 two logins of one user with one client`() async throws {
    let provider = try Provider()
    let (a, b) = (try await provider.issue(), try await provider.issue())
    let a2 = try await provider.redeem(a).refreshToken
    provider.clock.advance(11)
    #expect(await failure { _ = try await provider.redeem(a) }?.code == .invalidGrant)
    #expect(await failure { _ = try await provider.redeem(a2) }?.code == .invalidGrant)
    #expect(try await provider.redeem(b).grant.generation == 2)
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

  @Test func `S-P08 a password change ends all logins but, if wanted, the caller's`() async throws {
    let provider = try Provider()
    let tokens = [try await provider.issue(), try await provider.issue(), try await provider.issue()]
    var other = Provider.grant
    other.subject = "bob"
    let bob = try await provider.issue(other)
    let kept = try #require(try await provider.family(tokens[1]))
    try await provider.service.revoke(.subject("alice"), .passwordChanged, keeping: kept.id)
    #expect(try await provider.isRevoked(tokens[0], .passwordChanged))
    #expect(try await provider.isRevoked(tokens[2], .passwordChanged))
    _ = try await provider.redeem(tokens[1])
    _ = try await provider.redeem(bob)
    try await provider.service.revoke(.subject("alice"), .passwordChanged)
    #expect(try await provider.isRevoked(tokens[1], .passwordChanged))
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

  @Test func `S-N04 another client's name revokes nothing`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    #expect(await failure { _ = try await provider.redeem(first, client: "app-b") }?.code == .invalidGrant)
    _ = try await provider.redeem(first)
    provider.clock.advance(60)
    #expect(await failure { _ = try await provider.redeem(first, client: "app-b") }?.code == .invalidGrant)
    #expect(try await provider.family(first)?.status == .active)
  }

  @Test func `S-N05 malformed tokens, wrong MACs and generations to come revoke nothing`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let family = try #require(try await provider.family(first))
    let other = try RefreshTokenFormat(key: Array(1...32))
    let parts = first.split(separator: ".")
    let unknown = try #require(RefreshTokenFamily.ID(octets: Array(0..<16)))
    var hostile = [
      "", "rt1", "rt1...", "rt2.\(parts[1]).1.\(parts[3])", first + "A", String(first.dropLast()), first + ".x",
      "rt1.\(parts[1]).2.\(parts[3])", "rt1.\(parts[1]).01.\(parts[3])", "rt1.\(parts[1]).+1.\(parts[3])",
      "rt1.\(parts[1]).0.\(parts[3])", "rt1.\(parts[1]).99999999999999999999.\(parts[3])", "rt1.AAAA.1.\(parts[3])",
      other.token(of: family.id, generation: 1), provider.format.token(of: family.id, generation: 2),
      provider.format.token(of: family.id, generation: .max), provider.format.token(of: unknown, generation: 1),
      String(repeating: "a", count: 100_000),
    ]
    for index in first.utf8.indices {
      var bytes = Array(first.utf8)
      bytes[first.utf8.distance(from: first.utf8.startIndex, to: index)] ^= 1
      hostile.append(String(decoding: bytes, as: UTF8.self))
    }
    for token in hostile {
      #expect(await failure { _ = try await provider.redeem(token) }?.code == .invalidGrant)
    }
    #expect(try await provider.redeem(first).grant.generation == 2)
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

  @Test func `tokens that can't be made for a user who is gone are refused for that`() async throws {
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

  @Test func `whatever else is wrong, the end of the session is the answer, and the reason`() async throws {
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

  @Test func `revocation by client, session, device secret, consent and date`() async throws {
    let provider = try Provider()
    var grant = Provider.grant
    grant.deviceSecretID = "ds"
    let selections: [(FamilySelection, LogoutReason)] = [
      (.session("s1"), .sessionEnded), (.deviceSecret("ds"), .administrator), (.client("app-a"), .consentWithdrawn),
      (.subjectAndClient("alice", "app-a"), .consentWithdrawn),
      (.createdBefore(provider.clock.date.advanced(by: 1)), .maintenance),
    ]
    for (selection, reason) in selections {
      let token = try await provider.issue(grant)
      try await provider.service.revoke(selection, reason)
      #expect(try await provider.isRevoked(token, reason))
    }
    let token = try await provider.issue(grant)
    try await provider.service.revoke(.subject("al\u{131}ce"), .administrator)
    let refusal = await failure { try await provider.service.revoke(refreshToken: token, clientID: "app-b") }
    #expect(refusal?.code == .invalidGrant && provider.log.reuses == 0)
    try await provider.service.revoke(refreshToken: "nonsense", clientID: "app-a")
    #expect(try await provider.family(token)?.status == .active)
    try await provider.service.revoke(refreshToken: token, clientID: "app-a")
    #expect(try await provider.isRevoked(token, .revokedByClient))
  }

  @Test func `the oldest login makes room, and old families are forgotten late`() async throws {
    var policy = RotationPolicy()
    policy.maximumFamiliesPerUserAndClient = 2
    let provider = try Provider(policy)
    var tokens: [String] = []
    for _ in 0..<3 {
      tokens.append(try await provider.issue())
      provider.clock.advance(1)
    }
    #expect(try await provider.isRevoked(tokens[0], .tooManyLogins))
    #expect(try await provider.family(tokens[1])?.status == .active)
    provider.clock.advance(89 * 86_400)
    await provider.removeExpired()
    #expect(try await provider.family(tokens[0]) != nil)
    provider.clock.advance(2 * 86_400)
    await provider.removeExpired()
    #expect(try await provider.family(tokens[0]) == nil)
    #expect(try await provider.family(tokens[1]) != nil)
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

  @Test func `a family survives its journey through JSON`() async throws {
    let provider = try Provider()
    var grant = Provider.grant
    (grant.confirmation, grant.deviceSecretID, grant.grantID) = ("k", "d", "g")
    (grant.authenticationTime, grant.accessTokenLifetime) = (NumericDate(5), .milliseconds(90_500))
    let token = try await provider.issue(grant)
    _ = try await provider.redeem(token, confirmation: "k")
    var family = try #require(try await provider.family(token))
    #expect(family.version == 2 && family.grant == grant)
    family.version = 0
    #expect(try RefreshTokenFamily(parsing: family.serialized()) == family)
    (family.generation, family.replayCount) = (.max, 3)
    family.rotatedAt = NumericDate(400).advanced(by: 0.25)
    family.status = .revoked(LogoutReason("of our own"), at: NumericDate(5))
    family.absoluteExpiration = nil
    #expect(try RefreshTokenFamily(parsing: family.serialized()) == family)
    #expect(RefreshTokenFamily.ID(text: family.id.text) == family.id && RefreshTokenFamily.ID(text: "AAAA") == nil)
    for text in ["", "{}", #"{"version":2}"#] {
      #expect(await failure { _ = try RefreshTokenFamily(parsing: Array(text.utf8)) }?.code == .recordMalformed)
    }
  }

  @Test func `families that idle are ended, and removed in the end`() async throws {
    var policy = RotationPolicy()
    policy.absoluteLifetime = nil
    let provider = try Provider(policy)
    let token = try await provider.issue()
    let forgotten = try await provider.issue(RefreshGrant(subject: "bob", clientID: "app-a", scope: []))
    provider.clock.advance(31 * 86_400)
    // The next login of the user finds that it has ended. Nobody looks at the other one any more.
    _ = try await provider.issue()
    #expect(try await provider.isRevoked(token, .expired))
    provider.clock.advance(88 * 86_400)
    await provider.removeExpired()
    #expect(try await provider.family(forgotten) != nil)
    provider.clock.advance(3 * 86_400)
    await provider.removeExpired()
    #expect(try await provider.family(token) == nil)
    #expect(try await provider.family(forgotten) == nil)
  }

  @Test func `a login of a user with two hundred past ones asks the store a handful of times`() async throws {
    let calls = Mutex(0)
    let count: @Sendable () -> Void = { calls.withLock { $0 += 1 } }
    let records = HookedRecords(willRead: count, willList: count, didCommit: count)
    var policy = RotationPolicy()
    policy.maximumFamiliesPerUserAndClient = 5
    let service = try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records,
      clock: VirtualClock().wall)
    for _ in 0..<200 { _ = try await service.issue(Provider.grant) }
    calls.withLock { $0 = 0 }
    _ = try await service.issue(Provider.grant)
    // The session, the family, a look at the others, and the end of one.
    #expect(calls.withLock { $0 } == 4)
    #expect(try await service.logins(.subject("alice")).count == 5)
  }

  @Test func `the key of refresh tokens can be changed`() async throws {
    let (old, new) = ([UInt8](0...31), [UInt8](1...32))
    let store = MemoryRecordStore()
    let clock = VirtualClock()
    func service(_ format: RefreshTokenFormat) throws -> RefreshTokenService {
      try RefreshTokenService(format: format, sessions: EndlessSessions(), records: store, clock: clock.wall)
    }
    func redeem(_ service: RefreshTokenService, _ token: String) async throws -> String {
      try await service.redeem(RefreshRedemption(refreshToken: token, clientID: "app-a")) { _ in }.refreshToken
    }
    let before = try service(RefreshTokenFormat(key: old))
    let first = try await before.issue(Provider.grant).refreshToken
    let during = try service(RefreshTokenFormat(key: new, previousKeys: [old]))
    let second = try await redeem(during, first)
    let after = try service(RefreshTokenFormat(key: new))
    _ = try await redeem(after, second)
    let stale = try await before.issue(Provider.grant).refreshToken
    #expect(await failure { _ = try await redeem(after, stale) }?.code == .invalidGrant)
    #expect(await failure { _ = try RefreshTokenFormat(key: new, previousKeys: [[1]]) }?.code == .settingInvalid)
  }
}

/// Lets nobody go on before all have come.
private actor Meeting {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of count: Int) { missing = count }

  func arrive() {
    missing -= 1
    guard missing == 0 else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func wait() async {
    if missing > 0 { await withCheckedContinuation { waiting.append($0) } }
  }
}
