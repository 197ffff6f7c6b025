import StrictJSON

extension TokenManager {
  /// Deals with a request that brought no usable tokens.
  func handle(
    _ failure: RefreshFailure, of attempt: RefreshAttempt, startedAt: Moment, _ episode: inout RefreshEpisode
  ) async -> RefreshStep {
    if let refreshToken = failure.newRefreshToken {
      await keep(newRefreshToken: refreshToken, attempt, episode.flight)
      guard isFlying(episode.flight) else { return .done }
    }
    if let late = takeLateAnswer() { return await commit(late.tokens, late.attempt, late.startedAt, episode.flight) }
    switch failure.kind {
    case .notSent, .serverBusy:
      await withdrawAnnouncement(episode.flight)
      return await retry(after: failure.retryAfter, episode)
    case .noAnswer:
      isUncertain = true
      guard settings.replaysLostRotation else { return await stopReplaying(episode) }
      return await retry(after: failure.retryAfter, episode)
    case .unusableAnswer:
      unusableAnswers += 1
      guard unusableAnswers < 3 else { return await refuse(.answerUnusable, episode) }
      isUncertain = isUncertain || failure.newRefreshToken == nil
      return await retry(after: failure.retryAfter, episode)
    case .invalidGrant:
      if (try? await adoptNewer(episode.flight)) ?? false { return .done }
      return await refuse(failure.logoutReason ?? (isUncertain ? .lostRotation : .invalidGrant), episode)
    case .loginRequired:
      return await refuse(failure.logoutReason ?? .loginRequired, episode)
    case .misconfigured(let name):
      return await stop(misconfigured: name, episode)
    case .invalidScope:
      guard episode.scope != nil else { return await stop(misconfigured: "invalid_scope", episode) }
      episode.scope = nil
      return .again(after: 0)
    case .dpopNonceRequired(let nonce):
      guard episode.dpopNonce == nil else { return await stop(misconfigured: "use_dpop_nonce", episode) }
      episode.dpopNonce = nonce
      return .again(after: 0)
    }
  }

  /// Plans the next request after a failure that may pass. Callers for whom the old token is good enough get it.
  func retry(
    after wanted: Double?, _ episode: RefreshEpisode, error: TokenRefreshError? = nil
  ) async -> RefreshStep {
    guard isFlying(episode.flight) else { return .done }
    failures += 1
    let pause = pause(afterFailures: failures, wanted: wanted)
    let isExhausted = failures >= settings.maximumAttempts
    resumeSatisfiedWaiters()
    let passed = clock.elapsed() - episode.startedAt
    if !waiters.isEmpty, !isExhausted, passed + pause <= settings.episodeTimeLimit { return .again(after: pause) }
    if isExhausted { failures = 0 }
    notBefore = clock.elapsed() + pause
    if isExhausted, settings.endsLoginWhenRefreshKeepsFailing, !isUsable() {
      return await refuse(.refreshFailed, episode)
    }
    land(.failure(error ?? .unavailable(after: pause)))
    return .done
  }

  /// Full jitter: anything up to a bound that doubles with each failure; at least what the server asks for.
  private func pause(afterFailures count: Int, wanted: Double?) -> Double {
    var bound = settings.backoffBase
    for _ in 1..<max(count, 1) { bound = min(bound * 2, settings.backoffCap) }
    return max(random.fraction() * min(bound, settings.backoffCap), min(wanted ?? 0, settings.maximumRetryAfter))
  }

  /// Ends the login for good: every waiter learns the same reason.
  private func refuse(_ reason: LogoutReason, _ episode: RefreshEpisode) async -> RefreshStep {
    guard let loginID = record?.loginID else { return .done }
    await purge(loginID)
    guard isFlying(episode.flight) else { return .done }
    forget()
    end = reason
    land(.failure(.reauthenticate(reason)))
    return .done
  }

  /// The server refuses the client, not the token: keep the tokens and ask no more for a while.
  private func stop(misconfigured name: String?, _ episode: RefreshEpisode) async -> RefreshStep {
    await withdrawAnnouncement(episode.flight)
    guard isFlying(episode.flight) else { return .done }
    let error = TokenRefreshError(.configuration, "the server refuses the client or its request", name: name)
    misconfiguration = (error, clock.elapsed() + settings.misconfigurationPause)
    resumeSatisfiedWaiters()
    land(.failure(error))
    return .done
  }

  /// An answer was lost and must not be asked for again: who can use the old token does, for the others the login is
  /// over.
  private func stopReplaying(_ episode: RefreshEpisode) async -> RefreshStep {
    resumeSatisfiedWaiters()
    if waiters.isEmpty, isUsable() {
      land(.failure(.unavailable(after: nil)))
      return .done
    }
    return await refuse(.lostRotation, episode)
  }
}
