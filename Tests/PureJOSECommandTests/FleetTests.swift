import JOSE
import PureCrypto
import Synchronization
import Testing

@testable import PlatformSSOKit
@testable import PureJOSECommand

@Suite("jose psso fleet")
struct FleetTests {
  /// A server with a fault.
  private final class Server: DoctorTransport {
    typealias Change =
      @Sendable (_ server: Server, _ request: HTTPRequestValue, _ answer: HTTPResponseValue) async -> HTTPResponseValue

    let base: OwnProvider
    private let change: Change
    private let counts = Mutex<[String: Int]>([:])

    init(_ base: OwnProvider, _ change: @escaping Change) { (self.base, self.change) = (base, change) }

    func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
      await change(self, request, try await base.send(request))
    }

    /// How often this has been called for a name.
    func count(_ name: String) -> Int {
      counts.withLock { counts in
        counts[name, default: 0] += 1
        return counts[name, default: 0]
      }
    }
  }

  private func live(
    macs: Int = 24, lostAnswers: Int = 100, days: Int = 4, _ change: @escaping Server.Change = { $2 }
  ) async throws -> FleetReport {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    let keys = try await JWKSet(parsing: provider.send(HTTPRequestValue(method: "GET", url: "/jwks")).body)
    var plan = FleetRun.Plan()
    (plan.dayCount, plan.groupSize, plan.lostAnswersOfThousand) = (days, 8, lostAnswers)
    let fleet = try (0..<macs).map { _ in
      FleetMac(
        device: PlatformSSODevice(
          configuration: subject.device.configuration, keys: try .generate(), clock: .standing),
        user: subject.user, method: subject.method)
    }
    let run = FleetRun(transport: Server(provider, change), idTokenKeys: keys, plan: plan) {
      mac, number throws(JOSEError) in
      try DeviceRegistration(
        deviceID: "fleet-\(number)", keys: mac.device.keys, registrationToken: OwnProvider.registrationToken
      ).httpRequest(to: "https://idp.example.com/register")
    }
    return await run.live(fleet)
  }

  private static func signed(_ request: HTTPRequestValue) -> UnverifiedJWS? {
    (try? request.form())?.values("assertion").first.flatMap { try? UnverifiedJWS(parsing: $0) }
  }

  @Test("The package's own provider loses and contradicts nothing, though answers get lost")
  func sound() async throws {
    let report = try await live()
    #expect(report.losses == [:] && report.contradictions == [:])
    #expect(report.kinds["registration"]?.milliseconds.count ?? 0 >= 24)
    #expect(Set(report.kinds.keys) == ["nonce", "registration", "login", "refresh", "unlock key", "key exchange"])
    #expect(report.kinds.values.reduce(0) { $0 + $1.lostAnswers } > 5)
    let text = report.text(macs: 24, seconds: 2)
    #expect(text.contains("24 Macs, ") && text.contains(": 0 lost, 0 contradictory\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("What a server can't answer comes again, and is lost after three times")
  func outages() async throws {
    let passing = try await live(lostAnswers: 0) { server, request, answer in
      // One in four of each Mac's.
      guard let key = Self.signed(request)?.unverifiedHeader.keyID else { return answer }
      return server.count(key) % 4 == 1 ? HTTPResponseValue(status: 503) : answer
    }
    #expect(passing.losses == [:] && passing.kinds.values.reduce(0) { $0 + $1.retries } > 10)
    let lasting = try await live(lostAnswers: 0) { _, request, answer in
      request.url.hasSuffix("/psso/nonce") ? HTTPResponseValue(status: 503) : answer
    }
    #expect(lasting.lossCount == 24)
    #expect(lasting.losses.keys.allSatisfy { $0.hasPrefix("login, nonce: ") })
  }

  @Test("A server that gives up the old refresh token at once loses Macs whose answer got lost")
  func noGrace() async throws {
    let report = try await live(lostAnswers: 300) { server, request, answer in
      // As if the token before had been withdrawn: the second refresh of a token is refused.
      guard let token = Self.signed(request), token.unverifiedHeader.type == "platformsso-refresh-request+jwt",
        let refreshToken = token.unverifiedClaims?["refresh_token"]?.stringValue
      else { return answer }
      return server.count(refreshToken) > 1 ? HTTPResponseValue(status: 401) : answer
    }
    #expect(report.losses.keys.contains("refresh, 401"))
  }

  /// One Mac, the one that the provider knows already, whose answers are changed inside.
  private func contradictions(
    _ inside: @escaping DoctorRecallTests.Inside
  ) async throws -> FleetReport {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    let keys = try await JWKSet(parsing: provider.send(HTTPRequestValue(method: "GET", url: "/jwks")).body)
    var plan = FleetRun.Plan()
    (plan.dayCount, plan.lostAnswersOfThousand) = (40, 0)
    let server = DoctorRecallTests.Server(
      provider, subject.device, DoctorRecallTests.Fault(name: "contradictory", inside: inside))
    let run = FleetRun(transport: server, idTokenKeys: keys, plan: plan) { mac, _ throws(JOSEError) in
      try DeviceRegistration(
        deviceID: "mac-1", keys: mac.device.keys, registrationToken: OwnProvider.registrationToken
      ).httpRequest(to: "https://idp.example.com/register")
    }
    return await run.live([FleetMac(device: subject.device, user: subject.user, method: subject.method)])
  }

  @Test("Another user, another unlock key and another secret are contradictions")
  func contradictions() async throws {
    let users = try await contradictions { members, _, key in
      guard let token = members["id_token"]?.stringValue,
        var claims = try UnverifiedJWS(parsing: token).unverifiedClaims
      else { return }
      claims["sub"] = .string(UUIDText.random())
      members["id_token"] = .string(try JWT.sign(claims, with: key))
    }
    #expect(Set(users.contradictions.keys).isSubset(of: ["refresh, another user", "login, another user"]))
    #expect(users.contradictionCount > 10 && users.losses == [:])
    let secrets = try await contradictions { members, _, _ in
      if members["key"] != nil { members["key"] = .string(Base64.encode([UInt8](repeating: 7, count: 32))) }
    }
    #expect(Array(secrets.contradictions.keys) == ["key exchange, another secret"] && secrets.losses == [:])
    let keys = try await contradictions { members, _, _ in
      guard members["certificate"] != nil else { return }
      let key = UnlockKey.generate()
      members["certificate"] = .string(
        Base64.encode(key.selfSignedCertificate(commonName: "Unlock key", notBefore: WallClock.system.now)))
    }
    #expect(keys.contradictions["unlock key, another unlock key"] ?? 0 > 0 && keys.losses == [:])
  }

  @Test(
    "Percentiles are values that were met",
    arguments: [(0.5, 2.0), (0.95, 4), (0.99, 4), (0, 1), (1, 4), (0.25, 1), (0.26, 2)] as [(Double, Double)])
  func percentiles(_ share: Double, _ expected: Double) {
    #expect(FleetReport.percentile(share, of: [4, 1, 3, 2]) == expected)
    #expect(FleetReport.percentile(share, of: []) == 0)
  }
}
