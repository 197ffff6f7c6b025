public import CoreMetrics
import JOSE
public import Logging

/// Writes the decisions of ``BearerTokens`` to swift-log, and counts them with swift-metrics.
///
/// ```swift
/// let recorder = BearerTokenRecorder(logger: Logger(label: "api"))
/// BearerTokens(issuer: issuer, audience: audience, onEvent: recorder.record)
/// ```
///
/// | metric | what | dimension `kind` |
/// |---|---|---|
/// | `purejose_access_token_events_total` | counts decisions | the case of ``BearerTokenEvent/Kind`` |
/// | `purejose_access_token_duration` | a timer: how long each took | the same |
///
/// Neither lines nor dimensions hold anything that a client sent: an error names the rule that failed, not the value.
public struct BearerTokenRecorder: Sendable {
  private let logger: Logger
  private let dimensions: [(String, String)]
  private let factory: any MetricsFactory

  /// A log and metrics.
  ///
  /// - Parameters:
  ///   - logger: gets accepted requests and those without a token at level `debug`, refusals as `notice`, the server's
  ///     own failures as `error`.
  ///   - dimensions: further dimensions of every metric.
  ///   - factory: makes the metrics.
  public init(
    logger: Logger, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory
  ) {
    (self.logger, self.dimensions, self.factory) = (logger, dimensions, factory)
  }

  /// Writes and counts one decision.
  public func record(_ event: BearerTokenEvent) {
    let (kind, level, error): (String, Logger.Level, JOSEError?) =
      switch event.kind {
      case .accepted: ("accepted", .debug, nil)
      case .noToken: ("noToken", .debug, nil)
      case .requestInvalid: ("requestInvalid", .notice, nil)
      case .tokenRefused(let error): ("tokenRefused", .notice, error)
      case .proofRefused(let error): ("proofRefused", .notice, error)
      case .insufficientScope: ("insufficientScope", .notice, nil)
      case .unavailable(let error): ("unavailable", .error, error)
      case .misconfigured(let error): ("misconfigured", .error, error)
      }
    var metadata: Logger.Metadata = [:]
    if let error { metadata["error"] = "\(error)" }
    logger.log(level: level, "accessToken.\(kind)", metadata: metadata, source: "PureJOSE")
    let dimensions = dimensions + [("kind", kind)]
    Counter(label: "purejose_access_token_events_total", dimensions: dimensions, factory: factory).increment()
    Timer(label: "purejose_access_token_duration", dimensions: dimensions, factory: factory)
      .recordNanoseconds(Int64(event.duration / .nanoseconds(1)))
  }
}
