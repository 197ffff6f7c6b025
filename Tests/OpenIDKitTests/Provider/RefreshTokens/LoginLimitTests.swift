import IdentityTesting
import JOSE
import Synchronization
import Testing

@testable import OpenIDKit

/// How many logins a user has with a client, and how they end.
@Suite struct LoginLimitTests {
  @Test func `a login beyond the limit ends the one that began first, even within one moment`() async throws {
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

  @Test func `a new family of a disabled user is revoked and gives no token`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    provider.users.disable("alice")
    await #expect(throws: OpenIDError(.invalidGrant, "")) { try await provider.issue() }
    // The family that was begun is revoked, for the reason.
    #expect(provider.log.kinds == [.revoked(.userDisabled)])
    #expect(try await provider.service.logins(.subject("alice")).count == 1)
    await #expect(throws: OpenIDError(.invalidGrant, "")) { try await provider.redeem(token) }
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
