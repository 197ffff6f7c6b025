/// Why a message, a key or a request was refused: a stable code, the part concerned, and a sentence.
///
/// Two errors are equal when their codes and names are. The texts are for people and logs: they hold no secret, no
/// token text and nothing else that a sender chose. One thing apart: where a device of Platform SSO gets no answer,
/// ``description`` says what came instead, and the identity provider's own OAuth error, escaped and cut off.
public struct JOSEError: Error, Hashable, CustomStringConvertible {
  /// What went wrong.
  public let code: ErrorCode

  /// The claim, header parameter, form field, setting or limit concerned, or the path to a claim that doesn't decode. A
  /// name from a specification or from the caller; in a path, names of an authentic token as well, if they are plain
  /// words.
  public let name: String?

  /// Who is at fault.
  public private(set) var fault: ErrorCode.Fault

  private let text: StaticString

  /// What came in place of what was expected. No secret, and text of a sender's only as ``VisibleText`` has it.
  private var detail: String?

  /// - Parameters:
  ///   - fault: where it isn't the one that the code has as a rule.
  ///   - detail: what came in place of what was expected, for ``description``. The caller answers for it: no
  ///     secret, and nothing of a sender's that is not escaped and cut off.
  package init(
    _ code: ErrorCode, _ text: StaticString, name: String? = nil, fault: ErrorCode.Fault? = nil,
    detail: String? = nil
  ) {
    self.code = code
    self.detail = detail
    self.text = text
    self.name = name
    self.fault = fault ?? code.fault
  }

  /// One sentence for people, without secrets and without text from the message.
  public var reason: String { "\(text)" }

  /// Code, name and reason, and what came in place of an answer.
  public var description: String {
    let named = name.map { "\(code)(\($0))" } ?? "\(code)"
    return "\(named): \(text)" + (detail.map { "; \($0)" } ?? "")
  }

  /// The same error, which also says what came in place of what was expected.
  package func adding(detail: String) -> JOSEError {
    var error = self
    error.detail = detail
    return error
  }

  /// Compares code and name.
  public static func == (lhs: JOSEError, rhs: JOSEError) -> Bool { lhs.code == rhs.code && lhs.name == rhs.name }

  /// Hashes code and name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(name)
  }

  /// Makes something of a key that only the caller can have given, whatever is wrong with it.
  static func byCaller<Key>(_ body: () throws(JOSEError) -> Key) throws(JOSEError) -> Key {
    do throws(JOSEError) {
      return try body()
    } catch {
      throw error.byCaller()
    }
  }

  /// The same error, which only the caller can have caused.
  func byCaller() -> JOSEError {
    var error = self
    error.fault = .callerMisuse
    return error
  }

  /// The same error about keys that a token should have been judged by: it says nothing about the token.
  func concerningKeys() -> JOSEError {
    guard fault != .callerMisuse else { return self }
    var error = self
    error.fault = .unavailable
    return error
  }

  /// Whether the keys could not be had, so that the error says nothing about the token.
  package var isLackOfKeys: Bool { fault == .unavailable }
}
