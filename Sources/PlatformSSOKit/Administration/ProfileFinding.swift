/// Something that is wrong with a profile, or doesn't agree with the configuration of extension or provider.
public struct ProfileFinding: Sendable, Equatable, CustomStringConvertible {
  /// Whether Macs refuse the profile, or the login won't work. Else it may be meant, and is worth a look.
  public let isError: Bool
  /// The key of the profile concerned, or the property of the configuration.
  public let key: String
  /// What is wrong, in one sentence.
  public let reason: String

  init(error key: String, _ reason: StaticString) { (isError, self.key, self.reason) = (true, key, "\(reason)") }

  init(warning key: String, _ reason: StaticString) { (isError, self.key, self.reason) = (false, key, "\(reason)") }

  /// A key that is not known, where a known one is much like it.
  init(error key: String, instead known: String) {
    (isError, self.key, reason) = (true, key, "there is no such key here: \(known) is meant")
  }

  /// `error` or `warning`, key and reason.
  public var description: String { "\(isError ? "error" : "warning"): \(key): \(reason)" }
}
