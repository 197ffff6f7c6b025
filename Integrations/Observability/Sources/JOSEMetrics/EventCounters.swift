public import CoreMetrics
public import JOSE
public import NativeSSOKit
public import OpenIDKit

/// Counts the package's events.
///
/// ```swift
/// let counters = EventCounters()
/// let keys = RemoteKeySet(issuer: issuer, onEvent: counters.record, transport: send)
/// let service = try RefreshTokenService(
///   format: format, sessions: sessions, records: records, onEvent: counters.record)
/// ```
///
/// | metric | counts | dimension `kind` |
/// |---|---|---|
/// | `purejose_key_set_events_total` | requests for an issuer's keys | the case of ``RemoteKeySetEvent`` |
/// | `purejose_key_set_keys` | a gauge: how many keys can be used | none |
/// | `purejose_refresh_token_events_total` | what happens to refresh tokens | the case of `RefreshTokenEvent` |
/// | `purejose_code_events_total` | what happens to authorization codes | the case of `AuthorizationCodeEvent` |
/// | `purejose_native_sso_events_total` | decisions of a provider of Native SSO | the case of `AuditEvent` |
///
/// No dimension has a client, a user or another value from outside, so the number of series is bounded.
public struct EventCounters: Sendable {
  private let factory: any MetricsFactory
  private let dimensions: [(String, String)]

  /// Counters.
  ///
  /// - Parameters:
  ///   - dimensions: further dimensions of every metric, for instance the issuer's name if a program has several.
  ///   - factory: makes the metrics.
  public init(dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory) {
    (self.dimensions, self.factory) = (dimensions, factory)
  }

  /// Counts an event of a key set.
  public func record(_ event: RemoteKeySetEvent) {
    switch event.kind {
    case .requested: count("key_set", "requested")
    case .renewed(let keyCount, _):
      count("key_set", "renewed")
      gauge(keyCount)
    case .confirmed(let keyCount):
      count("key_set", "confirmed")
      gauge(keyCount)
    case .failed: count("key_set", "failed")
    }
  }

  /// Counts an event of a refresh token.
  public func record(_ event: RefreshTokenEvent) {
    let kind =
      switch event.kind {
      case .rotated: "rotated"
      case .replayed: "replayed"
      case .reuse: "reuse"
      case .confirmationMismatch: "confirmationMismatch"
      case .revoked: "revoked"
      }
    count("refresh_token", kind)
  }

  /// Counts an event of an authorization code.
  public func record(_ event: AuthorizationCodeEvent) {
    let kind =
      switch event.kind {
      case .redeemed: "redeemed"
      case .refused: "refused"
      case .wrongClient: "wrongClient"
      case .reused: "reused"
      }
    count("code", kind)
  }

  /// Counts a decision of a Native SSO provider.
  public func record(_ event: AuditEvent) { count("native_sso", event.kind.rawValue) }

  private func count(_ subject: String, _ kind: String) {
    Counter(
      label: "purejose_\(subject)_events_total", dimensions: dimensions + [("kind", kind)], factory: factory
    ).increment()
  }

  private func gauge(_ keyCount: Int) {
    Gauge(label: "purejose_key_set_keys", dimensions: dimensions, factory: factory).record(keyCount)
  }
}
