import JOSE

/// Why a message of Platform SSO was refused or could not be made.
///
/// Two errors are equal when their codes and names are. The texts are for people and logs: they hold no secret and nothing that a
/// peer chose.
public struct PlatformSSOError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code

  /// The claim, header parameter, form field or option concerned. Always a name from the protocol or from the caller.
  public let name: String?

  private let text: StaticString

  package init(_ code: Code, _ text: StaticString, name: String? = nil) {
    self.code = code
    self.text = text
    self.name = name
  }

  /// Who is at fault.
  public var fault: Fault { code.fault }

  /// One sentence for people, without secrets and without text from the message.
  public var reason: String { "\(text)" }

  /// Code, name and reason.
  public var description: String {
    guard let name else { return "\(code): \(text)" }
    return "\(code)(\(name)): \(text)"
  }

  /// Compares code and name.
  public static func == (lhs: PlatformSSOError, rhs: PlatformSSOError) -> Bool {
    lhs.code == rhs.code && lhs.name == rhs.name
  }

  /// Hashes code and name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(name)
  }
}
