import JOSE

/// Why a message of Sign in with Apple was refused or could not be made.
///
/// Two errors are equal when their codes and names are. The texts are for people and logs: they hold no secret, no
/// token text and
/// nothing that a browser or a server chose.
public struct SignInWithAppleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code

  /// The parameter, claim, header field or error code concerned. Always a name from a specification or from the caller.
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
  public static func == (lhs: SignInWithAppleError, rhs: SignInWithAppleError) -> Bool {
    lhs.code == rhs.code && lhs.name == rhs.name
  }

  /// Hashes code and name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(name)
  }
}
