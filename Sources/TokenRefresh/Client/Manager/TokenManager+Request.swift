import StrictJSON

extension TokenManager {
  /// Sends a request and waits for its answer, or until it counts as unanswered. The request itself is never cancelled.
  func send(_ attempt: RefreshAttempt, startedAt: Moment) async -> RefreshOutcome {
    lastRequest += 1
    let id = lastRequest
    return await withCheckedContinuation { continuation in
      let timeout = Task { [clock, settings] in
        guard (try? await clock.sleep(settings.requestTimeout)) != nil else { return }
        self.giveUp(id)
      }
      requests[id] = PendingRequest(continuation: continuation, timeout: timeout)
      Task { [refresher] in
        let outcome = await refresher.refresh(attempt)
        await self.receive(outcome, id, attempt, startedAt)
      }
    }
  }

  private func giveUp(_ id: UInt64) {
    requests.removeValue(forKey: id)?.continuation.resume(returning: .failed(RefreshFailure(.noAnswer)))
  }

  private func receive(_ outcome: RefreshOutcome, _ id: UInt64, _ attempt: RefreshAttempt, _ startedAt: Moment) async {
    if let request = requests.removeValue(forKey: id) {
      request.timeout.cancel()
      request.continuation.resume(returning: outcome)
      return
    }
    // The request had been given up. Its tokens are as good as any, as long as nothing newer is stored.
    guard case .tokens(let tokens) = outcome else { return }
    guard isCurrent(attempt) else { return await drop(outcome, of: attempt) }
    lateAnswer = LateAnswer(tokens: tokens, attempt: attempt, startedAt: startedAt)
    // A refresh under way takes it before it sends another request, or if that brings nothing.
    if flight == nil, !isDirty { takeOff() }
  }

  /// Whether a request was for the login and the generation that are current.
  func isCurrent(_ attempt: RefreshAttempt) -> Bool {
    guard let record else { return false }
    return attempt.loginID.hasSameBytes(as: record.loginID) && attempt.generation == record.generation
  }

  /// A late answer that still fits.
  func takeLateAnswer() -> LateAnswer? {
    guard let late = lateAnswer else { return nil }
    lateAnswer = nil
    return isCurrent(late.attempt) ? late : nil
  }

  /// Forgets an answer that came too late. If its login is over, the server is told that the tokens won't be used.
  func drop(_ outcome: RefreshOutcome, of attempt: RefreshAttempt) async {
    if let record, record.loginID.hasSameBytes(as: attempt.loginID) { return }
    guard revokesLateTokens else { return }
    if case .tokens(let tokens) = outcome {
      await refresher.revoke(refreshToken: tokens.refreshToken ?? attempt.refreshToken)
    } else {
      await refresher.revoke(refreshToken: attempt.refreshToken)
    }
  }
}
