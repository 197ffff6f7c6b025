import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import PureJOSETestSupport
import Synchronization
import Testing

/// Logins that come at once, step by step in every order that there is: each device secret belongs to an answer.
@Suite struct LoginRaceTests {
  /// What is built in to see that exploring finds it.
  enum PlantedFault: CaseIterable {
    /// The store writes without looking at the version.
    case replacesBlindly
    /// The provider's records don't show the codes, so that a device secret is added before its code is used.
    case hidesCodes
  }

  /// Records whose every operation is a step.
  private struct SteppingStore: RecordStore {
    let inner: MemoryRecordStore
    let turns: Turns
    let fault: PlantedFault?
    var isProviders = false

    func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? {
      await turns.step()
      if isProviders, fault == .hidesCodes, kind != DeviceSecretRecords.kind { return nil }
      return await inner.record(kind, key: key)
    }

    func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
      await turns.step()
      return await inner.records(kind, where: index, limit: limit)
    }

    func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
      await turns.step()
      var made = changes
      for (number, change) in changes.enumerated() {
        guard fault == .replacesBlindly, case .replace(var record) = change else { continue }
        if let known = await inner.record(record.kind, key: record.key) { record.version = known.version }
        made[number] = .replace(record)
      }
      return try await inner.commit(made)
    }

    func removeExpired(before date: NumericDate, limit: Int) async -> Int {
      await inner.removeExpired(before: date, limit: limit)
    }
  }

  /// How one order went.
  private struct Outcome {
    var taken: [(choice: Int, of: Int)]
    var violations: [String]
  }

  private static let grant = AuthorizationCodeGrant(
    clientID: "app-a", redirectURI: "com.example.app-a:/cb", scopes: ["openid", "device_sso"], subject: World.user,
    sessionID: World.session)

  /// Two requests, with one code or with two.
  private func play(_ order: [Int], sharing: Bool, _ fault: PlantedFault?) async throws -> Outcome {
    let turns = Turns(tasks: 2, order: order)
    let inner = MemoryRecordStore()
    let world = try await World(settings: ["enabled": true, "maxDeviceSecretsPerUser": 1], seedsPair: false)
    let clock = world.clock.wall
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(),
      records: SteppingStore(inner: inner, turns: turns, fault: fault),
      clock: clock)
    var provider = world.provider
    provider.records = SteppingStore(inner: inner, turns: turns, fault: fault, isProviders: true)
    provider.tokens = service.tokenIssuer { _, _ in "at" }
    let codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil, clock: clock)
    let issuer = try AuthorizationCodeService(records: inner, revokedTokens: nil, clock: clock)
    let first = try await issuer.issue(Self.grant)
    let second = sharing ? first : try await issuer.issue(Self.grant)
    let answers = await withTaskGroup(of: TokenAnswer?.self) { [provider] group in
      for (task, code) in [first, second].enumerated() {
        group.addTask {
          await Turns.$task.withValue(task) {
            let request = try? AuthorizationCodeRedemption(
              form: [
                "grant_type": "authorization_code", "code": code, "redirect_uri": Self.grant.redirectURI,
                "client_id": "app-a",
              ], clientID: "app-a")
            var response: TokenAnswer?
            if let request {
              response = try? await codes.redeem(request) { try await provider.tokens(for: AcceptedGrant($0)) }
            }
            await turns.finish()
            return response
          }
        }
      }
      return await group.reduce(into: [TokenAnswer]()) { if let answer = $1 { $0.append(answer) } }
    }
    var violations: [String] = []
    if answers.count != (sharing ? 1 : 2) { violations.append("\(answers.count) have tokens") }
    let records = try await DeviceSecretRecords(inner).records(userID: World.user)
    let given = Set(answers.compactMap { $0.deviceSecret?.fingerprint })
    if Set(records.map(\.fingerprint)) != given { violations.append("\(records.count) device secrets") }
    // What a code gives that comes twice ends.
    let live = records.count { $0.state(at: clock.now) == .active }
    if live != (sharing ? 0 : 1) { violations.append("\(live) are live") }
    let issued = world.audit.all.filter { $0.kind == .deviceSecretIssued }.compactMap(\.deviceSecretID)
    if Set(issued) != Set(records.map(\.id)) { violations.append("the audit log has others") }
    return Outcome(taken: await turns.taken, violations: violations)
  }

  /// How many orders there are, and what went wrong in the first that did.
  private func explore(sharing: Bool, _ fault: PlantedFault?) async throws -> (orders: Int, violations: [String]) {
    var order: [Int]? = []
    var orders = 0
    var violations: [String] = []
    while let next = order, violations.isEmpty, orders < 3000 {
      let outcome = try await play(next, sharing: sharing, fault)
      orders += 1
      violations += outcome.violations.map { "\($0): \(outcome.taken.map(\.choice))" }
      order = Turns.next(after: outcome.taken)
    }
    return (orders, violations)
  }

  @Test(.timeLimit(.minutes(60)), arguments: [true, false])
  func `of logins that come at once, each device secret has its answer`(sharing: Bool) async throws {
    let (orders, violations) = try await explore(sharing: sharing, nil)
    #expect(violations.isEmpty, "\(violations)")
    #expect(orders > 20, "\(orders)")
  }

  @Test func `a device secret that is revoked right before a login is written is not the login's`() async throws {
    let inner = MemoryRecordStore()
    let world = try await World(records: inner)
    let clock = world.clock.wall
    let isRevoked = Mutex(false)
    let records = HookedRecords(inner: inner, beforeFirst: RefreshTokenFamilyRecords.kind) {
      isRevoked.withLock { $0 = true }
      _ = try await DeviceSecretRecords(inner).revoke(id: "record-1", reason: .administrator, now: clock.now)
    }
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records, clock: clock)
    var provider = world.provider
    provider.records = records
    provider.tokens = service.tokenIssuer { _, _ in "at" }
    let codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil, clock: clock)
    let request = try AuthorizationCodeRedemption(
      form: [
        "grant_type": "authorization_code", "code": try await codes.issue(Self.grant),
        "redirect_uri": Self.grant.redirectURI,
        "client_id": "app-a",
      ], clientID: "app-a")
    let response = try await codes.redeem(request) { [provider] code in
      try await provider.tokens(for: AcceptedGrant(code, form: presenting(WorkedExample.secret)))
    }
    #expect(response.deviceSecret != nil && response.deviceSecret?.reveal() != WorkedExample.secret)
    let logins = try await service.logins(.subject(World.user))
    #expect(logins.count == 1 && logins[0].grant.deviceSecretID != "record-1")
    #expect(isRevoked.withLock { $0 })
  }

  @Test func `an answer that fails leaves no device secret and no family, and revokes nothing`() async throws {
    struct KeyServiceDown: Error {}
    let inner = MemoryRecordStore()
    let world = try await World(settings: ["enabled": true, "maxDeviceSecretsPerUser": 1], records: inner)
    let clock = world.clock.wall
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: inner, clock: clock)
    var provider = world.provider
    let before = try await DeviceSecretRecords(inner).records(userID: World.user)
    #expect(before.count == 1 && before[0].state(at: clock.now) == .active)
    // Where the access token fails, and where the ID token does, when there is a family already.
    provider.tokens = service.tokenIssuer { _, _ in throw KeyServiceDown() }
    var other = provider
    other.tokens = service.tokenIssuer { _, _ in "at" }
    other.sessions = WithoutSubjects(base: world.sessions)
    let codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil, clock: clock)
    // What the issuer throws is a fault; a directory that can't be asked may answer later.
    for (provider, expected) in [(provider, 500), (other, 503)] {
      let code = try await codes.issue(Self.grant)
      let request = try AuthorizationCodeRedemption(
        form: [
          "grant_type": "authorization_code", "code": code, "redirect_uri": Self.grant.redirectURI,
          "client_id": "app-a",
        ], clientID: "app-a")
      // As an endpoint does that answers with the error.
      let status = try await codes.redeem(request) { code in
        do {
          _ = try await provider.tokens(for: AcceptedGrant(code))
          return 200
        } catch let error as OAuthErrorResponse {
          return error.status
        }
      }
      #expect(status == expected)
      let after = try await DeviceSecretRecords(inner).records(userID: World.user)
      #expect(after.map(\.fingerprint) == before.map(\.fingerprint) && after[0].state(at: clock.now) == .active)
      #expect(try await service.logins(.subject(World.user)).isEmpty)
      #expect(world.audit.all.isEmpty)
    }
  }

  /// Sessions whose subjects can't be had.
  private struct WithoutSubjects: SessionDirectory {
    struct Down: Error {}
    let base: SessionRecords
    func session(id: String) async throws -> AuthenticationSession? { try await base.session(id: id) }
    func isActive(userID: String) async throws -> Bool { try await base.isActive(userID: userID) }
    func subject(userID: String, clientID: String) async throws -> String { throw Down() }
    func userID(subject: String, clientID: String) async throws -> String? { throw Down() }
    func grantedScopes(userID: String, clientID: String) async throws -> [String] { throw Down() }
  }

  @Test(.timeLimit(.minutes(60)), arguments: PlantedFault.allCases)
  func `exploring finds what is planted`(fault: PlantedFault) async throws {
    #expect(try await !explore(sharing: true, fault).violations.isEmpty)
  }
}
