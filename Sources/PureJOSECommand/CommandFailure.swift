import JOSE
import StrictJSON

/// Why the command ends without having done what was asked.
enum CommandFailure: Error {
  /// The input is not authentic or not valid.
  case invalid(String)
  /// The arguments are wrong.
  case usage(String)

  init(_ error: JOSEError) {
    self = .invalid("\(error)")
  }

  /// The word after a verb is absent, or is unknown to the verb.
  static func unknownWord(_ word: String?, after verb: String, among words: [String]) -> CommandFailure {
    let list = words.count > 1 ? words.dropLast().joined(separator: ", ") + " or " : ""
    return .usage(
      "jose \(verb) is followed by \(list)\(words.last ?? "")" + Suggestion.of(word ?? "", among: words))
  }
}

/// The exit status.
enum ExitStatus: Int32 {
  /// Done.
  case done = 0
  /// The input is not authentic or not valid: one line on standard error, nothing on standard output.
  case invalid = 1
  /// Wrong usage.
  case usage = 2
}

/// Runs library code, turning its errors into the command's.
func attempt<Value>(_ body: () throws -> Value) throws(CommandFailure) -> Value {
  do {
    return try body()
  } catch let failure as CommandFailure {
    throw failure
  } catch {
    throw .invalid("\(error)")
  }
}
