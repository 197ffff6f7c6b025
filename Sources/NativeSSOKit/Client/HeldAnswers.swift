import JOSE

/// Answers of the token endpoint that could not be judged, because the provider's keys could not be had. Each may hold
/// the only good refresh token or device secret, so it is judged again, and not asked for again.
struct HeldAnswers {
  /// An answer, with the state of the client when it was asked for.
  struct Answer: Sendable {
    let response: HTTPResponseValue
    let receivedAt: NumericDate
    /// ``NativeSSOClient/signOutCount`` and ``NativeSSOClient/pairRemovalCount``.
    let signOuts: Int
    let removals: Int
    /// The generation of the pair, if it answers an exchange.
    var generation: UInt64?
  }

  /// What was asked with.
  enum Question: Hashable {
    /// The pair of the vendor's apps.
    case exchange
    /// `state` of a login.
    case login([UInt8])
  }

  private var answers: [(question: Question, answer: Answer)] = []
  /// More are not open at once: the oldest goes.
  private static let capacity = 16

  mutating func hold(_ answer: Answer, for question: Question) {
    _ = take(question)
    answers.append((question, answer))
    answers.removeFirst(max(0, answers.count - Self.capacity))
  }

  /// The answer that is held, which is then held no more.
  mutating func take(_ question: Question) -> Answer? {
    guard let place = answers.firstIndex(where: { $0.question == question }) else { return nil }
    return answers.remove(at: place).answer
  }

  /// All answers, which are then held no more.
  mutating func takeAll() -> [Answer] {
    defer { answers = [] }
    return answers.map(\.answer)
  }
}
