/// Why a message, a key or a request was refused: a stable code, the part concerned, and a sentence.
///
/// Two errors are equal when their codes and names are. The texts are for people and logs: they hold no secret, no
/// token text and nothing else that a sender chose.
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

  /// - Parameter fault: where it isn't the one that the code has as a rule.
  package init(_ code: ErrorCode, _ text: StaticString, name: String? = nil, fault: ErrorCode.Fault? = nil) {
    self.code = code
    self.text = text
    self.name = name
    self.fault = fault ?? code.fault
  }

  /// One sentence for people, without secrets and without text from the message.
  public var reason: String { "\(text)" }

  /// Code, name and reason.
  public var description: String {
    guard let name else { return "\(code): \(text)" }
    return "\(code)(\(name)): \(text)"
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
  package var isLackOfKeys: Bool { fault == .unavailable || fault == .callerMisuse }

  /// Calls the caller's store. Its errors may say anything, so they go no further.
  package static func askingStore<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws(JOSEError) -> Result {
    do {
      return try await body()
    } catch {
      throw JOSEError(.storeUnavailable, "the store failed")
    }
  }
}
