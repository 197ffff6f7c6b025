import JOSE
import PureCrypto

/// What the package made of one test, before that is compared with what the file expects.
enum Verdict {
  /// It accepted the input, and every output is the stated one.
  case accepted
  /// It refused the input. The text is the code of its error, with the claim or parameter in parentheses if it names
  /// one.
  case refused(String)
  /// It gave another output than the stated one, or contradicted itself. Never right.
  case wrong(String)
}

/// Runs `body`, whose refusal by the package is a verdict.
/// - Throws: what else `body` throws.
func verdict(_ body: () throws -> Verdict) throws -> Verdict {
  do {
    return try body()
  } catch let error as CryptoError {
    return .refused("\(error.code)")
  } catch let error as JOSEError {
    return .refused(error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)")
  }
}

extension Verdict {
  /// Accepted when `condition` holds, otherwise refused.
  static func accepted(if condition: Bool) -> Verdict { condition ? .accepted : .refused("mismatch") }

  /// Accepted when `condition` holds, otherwise wrong.
  static func accepted(if condition: Bool, otherwise difference: String) -> Verdict {
    condition ? .accepted : .wrong(difference)
  }
}
