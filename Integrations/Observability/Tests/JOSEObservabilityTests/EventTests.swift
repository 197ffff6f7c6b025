import IdentityTesting
import InMemoryLogging
import JOSE
import JOSELogging
import JOSEMetrics
import Logging
import MetricsTestKit
import NativeSSOKit
import OpenIDKit
import Synchronization
import Testing

/// Events of real services, in a log and in counters.
@Suite struct EventTests {
  private let handler: InMemoryLogHandler
  private let logger: Logger
  private let metrics = TestMetrics()

  init() {
    var handler = InMemoryLogHandler()
    handler.logLevel = .trace
    self.handler = handler
    logger = Logger(label: "test", factory: { _ in handler })
  }

  private var lines: [String] {
    handler.entries.map { entry in
      let details = entry.metadata.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
      return "\(entry.level) \(entry.message) \(details)"
    }
  }

  private func count(_ label: String, _ kind: String) -> Int64 {
    metrics.counterTotal(label: "purejose_\(label)_events_total", dimensions: [("kind", kind)])
  }

  /// Refreshes, and presents the first token again after its grace.
  private func stolenToken(_ log: EventLog, user: String) async throws -> [String] {
    let counters = EventCounters(factory: metrics)
    var now = NumericDate(1_760_000_000)
    let clock = Box(now)
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), clock: WallClock { clock.date },
      onEvent: { event in
        log.record(event)
        counters.record(event)
      })
    var tokens = [try await service.issue(RefreshGrant(subject: user, clientID: "app", scope: ["openid"])).refreshToken]
    for _ in 0..<2 {
      now = now.advanced(by: .seconds(600))
      clock.date = now
      let answer = try await service.redeem(RefreshRedemption(refreshToken: tokens[tokens.count - 1], clientID: "app"))
      {
        _ in "access"
      }
      tokens.append(answer.refreshToken)
    }
    await #expect(throws: (any Error).self) {
      try await service.redeem(RefreshRedemption(refreshToken: tokens[0], clientID: "app")) { _ in "access" }
    }
    return tokens
  }

  @Test func `a refresh token's life is logged without token and user`() async throws {
    let tokens = try await stolenToken(EventLog(logger), user: "jane")
    let lines = lines
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("debug refreshToken.rotated client_id=app generation="))
    #expect(lines.contains { $0.hasPrefix("warning refreshToken.reuse") })
    #expect(
      lines.last?.hasPrefix("notice refreshToken.revoked") == true && lines.last?.contains("reason=reuse") == true)
    for line in lines {
      #expect(!line.contains("jane"))
      // No eight characters of a token in a row.
      for token in tokens {
        let text = Array(token)
        for start in 0..<(text.count - 8) { #expect(!line.contains(String(text[start..<start + 8]))) }
      }
    }
    #expect(count("refresh_token", "rotated") == 2 && count("refresh_token", "reuse") == 1)
    #expect(count("refresh_token", "revoked") == 1)
  }

  @Test func `users are named where that is asked for, in one line`() async throws {
    _ = try await stolenToken(EventLog(logger, showsUsers: true), user: "jane\nerror: forged\u{2028}\u{1B}[31m")
    for line in lines {
      #expect(line.contains("user=jane?error: forged??[31m"))
      #expect(!line.contains("\n") && !line.contains("\u{1B}"))
    }
  }

  private struct Leaky: Error, CustomStringConvertible { let description = "Authorization: Bearer eyJhbGciOi" }

  @Test func `what a transport threw is not written`() async throws {
    let (log, counters) = (EventLog(logger), EventCounters(factory: metrics))
    let clock = WallClock { NumericDate(1_760_000_000) }
    let keys = RemoteKeySet(
      issuer: "https://idp.example.com", clock: clock,
      onEvent: { event in
        log.record(event)
        counters.record(event)
      }, transport: { _ in throw Leaky() })
    await #expect(throws: JOSEError.self) { try await keys.keys() }
    #expect(lines == ["debug keySet.requested ", "warning keySet.failed cause=unreachable"])
    #expect(count("key_set", "requested") == 1 && count("key_set", "failed") == 1)
  }

  @Test func `keys are counted`() async throws {
    let key = try SigningKey.generate(.es256, keyID: "a")
    let body = JWKSet([key.verificationKey.publicJWK].compactMap(\.self)).serialized()
    let log = EventLog(logger)
    let counters = EventCounters(dimensions: [("issuer", "one")], factory: metrics)
    let keys = RemoteKeySet(
      url: "https://idp.example.com/jwks",
      onEvent: { event in
        log.record(event)
        counters.record(event)
      }, transport: { _ in HTTPResponseValue(status: 200, body: body) })
    _ = try await keys.keys()
    #expect(lines.last == "debug keySet.renewed keys=1 unsupported=0")
    #expect(try metrics.expectGauge("purejose_key_set_keys", [("issuer", "one")]).lastValue == 1)
  }

  /// The closures take a method as it is: one closure is all that is wired.
  @Test func `each event's closure takes the method itself`() async throws {
    let log = EventLog(logger)
    let counters = EventCounters(factory: metrics)
    let refresh: @Sendable (RefreshTokenEvent) -> Void = log.record
    let code: @Sendable (AuthorizationCodeEvent) -> Void = counters.record
    let keys: @Sendable (RemoteKeySetEvent) -> Void = log.record
    let audit: @Sendable (AuditEvent) async -> Void = counters.record
    _ = (refresh, code, keys, audit)
    let service = try RefreshTokenService(format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions())
    let codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil, onEvent: log.record)
    _ = codes
  }
}

/// A date that a test moves.
private final class Box: Sendable {
  private let value: Mutex<NumericDate>
  var date: NumericDate {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
  init(_ date: NumericDate) { value = Mutex(date) }
}
