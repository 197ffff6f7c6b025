import Synchronization

extension HTTPRequestValue {
  /// The answer to the request; nil if there is none within a time, whether or not the transport heeds it when it is
  /// cancelled.
  package func answer(within time: Duration, by transport: @escaping HTTPTransport) async -> HTTPResponseValue? {
    let first = FirstAnswer()
    let request = Task { first.take(try? await transport(self)) }
    let limit = Task {
      try? await Task.sleep(for: max(.milliseconds(1), min(time, .seconds(86_400))))
      first.take(nil)
      request.cancel()
    }
    let answer = await first.value
    limit.cancel()
    return answer
  }
}

/// The first of two answers.
private final class FirstAnswer: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<HTTPResponseValue?, Never>)
    case over(HTTPResponseValue?)
  }

  private let state = Mutex(State.open)

  func take(_ answer: HTTPResponseValue?) {
    let waiting: CheckedContinuation<HTTPResponseValue?, Never>? = state.withLock { state in
      defer { if case .over = state {} else { state = .over(answer) } }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume(returning: answer)
  }

  var value: HTTPResponseValue? {
    get async {
      await withCheckedContinuation { continuation in
        let answer: HTTPResponseValue?? = state.withLock { state in
          if case .over(let answer) = state { return .some(answer) }
          state = .waiting(continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    }
  }
}
