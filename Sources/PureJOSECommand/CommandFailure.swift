import JOSE
import StrictJSON

/// Why the command ends without having done what was asked.
enum CommandFailure: Error, Equatable {
  /// The input is not authentic or not valid.
  case invalid(String)
  /// The arguments are wrong.
  case usage(String)

  init(_ error: JOSEError) {
    self = .invalid("\(error)")
  }

  /// A name of an algorithm, a curve or the like that isn't implemented.
  static func notImplemented(_ kind: String, _ name: String, among names: [String]) -> CommandFailure {
    .usage("the \(kind) \(Suggestion.shown(name)) is not implemented" + Suggestion.of(name, among: names))
  }

  /// The word after a verb is absent, or is unknown to the verb.
  static func unknownWord(_ word: String?, after verb: String, among words: [String]) -> CommandFailure {
    let list = words.count > 1 ? words.dropLast().joined(separator: ", ") + " or " : ""
    return .usage(
      "\(verb) is followed by \(list)\(words.last ?? "")" + (word.map { ", not \(Suggestion.shown($0))" } ?? "")
        + Suggestion.of(word ?? "", among: words))
  }
}

/// What the command ends with, as a shell reads it in `$?`.
enum ExitStatus: Int32 {
  /// The work is done, and its outcome on standard output.
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
