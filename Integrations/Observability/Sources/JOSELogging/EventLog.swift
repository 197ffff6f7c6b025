public import JOSE
public import Logging
public import NativeSSOKit
public import OpenIDKit

/// Writes the package's events to a logger: one line for each event, with its names in the metadata.
///
/// ```swift
/// let log = EventLog(Logger(label: "identity"))
/// let keys = RemoteKeySet(issuer: issuer, onEvent: log.record, transport: send)
/// let service = try RefreshTokenService(format: format, sessions: sessions, records: records, onEvent: log.record)
/// ```
///
/// No line holds a token, a code, a key or another secret, because no event does. The text of a transport's or a
/// server's error isn't written either, since it may repeat what was sent. Users and sessions are written only if you
/// ask for them.
public struct EventLog: Sendable {
  private let logger: Logger
  private let showsUsers: Bool

  /// A log.
  ///
  /// - Parameters:
  ///   - logger: gets the lines.
  ///   - showsUsers: whether lines name the user and the session.
  public init(_ logger: Logger, showsUsers: Bool = false) { (self.logger, self.showsUsers) = (logger, showsUsers) }

  /// Writes an event of a key set: failures as warnings, the rest at the level `debug`.
  public func record(_ event: RemoteKeySetEvent) {
    switch event.kind {
    case .requested: write(.debug, "keySet.requested", [:])
    case .renewed(let keyCount, let unsupportedCount):
      write(.debug, "keySet.renewed", ["keys": "\(keyCount)", "unsupported": "\(unsupportedCount)"])
    case .confirmed(let keyCount): write(.debug, "keySet.confirmed", ["keys": "\(keyCount)"])
    case .failed(let failure): write(.warning, "keySet.failed", ["cause": Self.cause(failure)])
    }
  }

  /// Writes an event of a refresh token: reuse as a warning, a revocation as a notice, the rest at the level `debug`.
  public func record(_ event: RefreshTokenEvent) {
    var details = ["client_id": event.clientID, "generation": "\(event.generation)"]
    if showsUsers { details["user"] = event.subject }
    switch event.kind {
    case .rotated: write(.debug, "refreshToken.rotated", details)
    case .replayed: write(.debug, "refreshToken.replayed", details)
    case .reuse(let presented, let age):
      details["presented_generation"] = "\(presented)"
      details["age"] = "\(age / .seconds(1))"
      write(.warning, "refreshToken.reuse", details)
    case .confirmationMismatch: write(.warning, "refreshToken.confirmationMismatch", details)
    case .revoked(let reason):
      details["reason"] = reason.description
      write(.notice, "refreshToken.revoked", details)
    }
  }

  /// Writes an event of an authorization code: reuse and another client as warnings, a refusal as a notice.
  public func record(_ event: AuthorizationCodeEvent) {
    var details = ["client_id": event.clientID]
    if showsUsers { details["user"] = event.subject }
    switch event.kind {
    case .redeemed: write(.debug, "code.redeemed", details)
    case .refused(let parameter):
      details["parameter"] = parameter
      write(.notice, "code.refused", details)
    case .wrongClient: write(.warning, "code.wrongClient", details)
    case .reused: write(.warning, "code.reused", details)
    }
  }

  /// Writes a decision of a Native SSO provider: reuse as a warning, refusals and ends as a notice.
  public func record(_ event: AuditEvent) {
    var details: [String: String] = [:]
    details["client_id"] = event.clientID
    details["check"] = event.check
    if showsUsers {
      details["user"] = event.userID
      details["session"] = event.sessionID
      details["device_secret_id"] = event.deviceSecretID
    }
    let level: Logger.Level =
      switch event.kind {
      case .deviceSecretReused: .warning
      case .exchangeRefused, .deviceSecretWithheld, .sessionEnded, .tokenRevoked: .notice
      case .deviceSecretIssued, .exchangeGranted: .info
      }
    write(level, "nativeSSO." + event.kind.rawValue, details)
  }

  /// The kind of a failure, without the text of a transport's error.
  private static func cause(_ failure: RemoteKeySetFailure) -> String {
    switch failure {
    case .unreachable: "unreachable"
    case .timedOut: "timedOut"
    case .status(let status): "status \(status)"
    case .invalid(let error): "invalid: \(error)"
    case .metadata(let error): "metadata: \(error)"
    case .noUsableKeys: "noUsableKeys"
    }
  }

  private func write(_ level: Logger.Level, _ name: String, _ details: [String: String]) {
    logger.log(
      level: level, "\(name)", metadata: details.mapValues { .string(Self.line($0)) }, source: "PureJOSE")
  }

  /// A text for one line: visible ASCII, at most 128 characters, because names can come from outside.
  private static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars.prefix(128) {
      line.unicodeScalars.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
    }
    return line
  }
}
