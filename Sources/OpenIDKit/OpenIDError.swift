import JOSE

/// Why there is no access token, or why a refresh was refused.
///
/// Two errors are equal when their codes, names and reasons for a logout are. The texts are for people and logs: they
/// hold no token and nothing that the other side chose.
public struct OpenIDError: SuppliedFailure, Hashable, CustomStringConvertible {
  /// What went wrong.
  public let code: ErrorCode

  /// The parameter, setting or registered error code concerned.
  public let name: String?

  /// Why the user is logged out, with `ErrorCode.reauthenticationRequired`.
  public let logoutReason: LogoutReason?

  /// How long to wait until trying again may help, with `ErrorCode.temporarilyUnavailable`.
  public let retryAfter: Duration?

  /// Who is at fault.
  public var fault: ErrorCode.Fault { code.fault }

  package let text: StaticString

  /// An error of your own: a closure that a provider asks refuses a request with it, a store what it can't read.
  ///
  /// - Parameters:
  ///   - code: what went wrong.
  ///   - text: for people and logs.
  ///   - name: the parameter concerned.
  ///   - logoutReason: with `ErrorCode.reauthenticationRequired`.
  ///   - retryAfter: how long to wait, with `ErrorCode.temporarilyUnavailable`.
  public init(
    _ code: ErrorCode, _ text: StaticString, name: String? = nil, logoutReason: LogoutReason? = nil,
    retryAfter: Duration? = nil
  ) {
    (self.code, self.text, self.name, self.logoutReason) = (code, text, name, logoutReason)
    self.retryAfter = retryAfter
  }

  /// One sentence for people.
  public var reason: String { "\(text)" }

  /// Code, name or reason for the logout, and text.
  public var description: String {
    let detail = name ?? logoutReason.map { "\($0)" }
    return "\(code)\(detail.map { "(\($0))" } ?? ""): \(text)"
  }

  /// Compares code, name and reason for the logout.
  public static func == (lhs: OpenIDError, rhs: OpenIDError) -> Bool {
    lhs.code == rhs.code && lhs.name == rhs.name && lhs.logoutReason == rhs.logoutReason
  }

  /// Hashes code, name and reason for the logout.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(name)
    hasher.combine(logoutReason)
  }

  package static var supplied: OpenIDError { OpenIDError(.storeUnavailable, "a store or service failed") }

  static func reauthenticate(_ reason: LogoutReason) -> OpenIDError {
    OpenIDError(.reauthenticationRequired, "the user has to log in again", logoutReason: reason)
  }

  static func unavailable(after pause: Duration?) -> OpenIDError {
    OpenIDError(.temporarilyUnavailable, "no access token is available at the moment", retryAfter: pause)
  }
}
