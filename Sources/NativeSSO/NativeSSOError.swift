/// Why a message of Native SSO was refused, or a step could not be taken.
///
/// Two errors are equal when their codes and names are. The texts are for people and logs: they hold no device secret, no token, and
/// nothing else that a peer chose.
public struct NativeSSOError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code

  /// The parameter, claim, member or setting concerned. Always a name from a specification or from the caller.
  public let name: String?

  private let text: StaticString

  package init(_ code: Code, _ text: StaticString, name: String? = nil) {
    self.code = code
    self.text = text
    self.name = name
  }

  /// Who is at fault.
  public var fault: Fault { code.fault }

  /// One sentence for people.
  public var reason: String { "\(text)" }

  /// Code, name and reason.
  public var description: String {
    guard let name else { return "\(code): \(text)" }
    return "\(code)(\(name)): \(text)"
  }

  /// Compares code and name.
  public static func == (lhs: NativeSSOError, rhs: NativeSSOError) -> Bool {
    lhs.code == rhs.code && lhs.name == rhs.name
  }

  /// Hashes code and name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(name)
  }
}
