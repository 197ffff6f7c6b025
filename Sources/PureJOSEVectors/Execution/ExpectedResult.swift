/// What a test expects, in its member `result`.
enum ExpectedResult: String {
  case valid
  case invalid
  case acceptable

  /// Why `verdict` is not what the test expects; nil when it is.
  /// - Parameter error: the error that a refusal must come with, when the test says so.
  func objection(to verdict: Verdict, error: String?) -> String? {
    switch (self, verdict) {
    case (_, .wrong(let difference)):
      return difference
    case (.valid, .refused(let code)):
      return "is valid but was refused (\(code))"
    case (.invalid, .accepted):
      return "is invalid but was accepted"
    case (.invalid, .refused(let code)):
      guard let error, error != code, error != code.prefix(while: { $0 != "(" }) else { return nil }
      return "was refused with \(code) instead of \(error)"
    case (.valid, .accepted), (.acceptable, _):
      return nil
    }
  }
}
