/// Something that is wrong with a profile, or doesn't agree with the configuration of extension or provider.
public struct ProfileFinding: Sendable, Hashable, CustomStringConvertible {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable, CaseIterable {
    /// Macs refuse the profile, or the login won't work.
    case error
    /// It may be meant, and is worth a look.
    case warning
  }

  /// How bad it is.
  public let severity: Severity
  /// The key of the profile concerned, or the property of the configuration.
  public let key: String
  /// What is wrong, in one sentence.
  public let reason: String

  init(_ severity: Severity, _ key: String, _ reason: StaticString) {
    self.severity = severity
    self.key = key
    self.reason = "\(reason)"
  }

  /// Severity, key and reason.
  public var description: String { "\(severity.rawValue): \(key): \(reason)" }
}
