extension TokenManager {
  func wait(minimumRemaining: Double) async throws(TokenRefreshError) -> AccessToken {
    lastWaiter += 1
    let id = lastWaiter
    let result: Result<AccessToken, TokenRefreshError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: .failure(Self.cancelled))
        } else {
          waiters[id] = Waiter(continuation: continuation, minimumRemaining: minimumRemaining)
        }
      }
    } onCancel: {
      Task { await self.cancelWaiter(id) }
    }
    return try result.get()
  }

  private static let cancelled = TokenRefreshError(.cancelled, "the caller's task was cancelled")

  private func cancelWaiter(_ id: UInt64) {
    waiters.removeValue(forKey: id)?.continuation.resume(returning: .failure(Self.cancelled))
  }

  /// Gives every waiter the same answer.
  func resumeWaiters(_ result: Result<AccessToken, TokenRefreshError>) {
    let waiting = waiters.values
    waiters = [:]
    for waiter in waiting { waiter.continuation.resume(returning: result) }
  }

  /// Gives the old token to those waiters for whom it is good enough.
  func resumeSatisfiedWaiters() {
    guard let accessToken else { return }
    for (id, waiter) in waiters where isUsable(for: waiter.minimumRemaining) {
      waiters[id] = nil
      waiter.continuation.resume(returning: .success(accessToken))
    }
  }
}
