extension TokenManager {
  /// The state now.
  public var state: TokenState {
    if let end { return .reauthenticationRequired(end) }
    guard let record else { return .loggedOut }
    if !record.isRefreshable { return .nonRefreshable }
    let isUsable = isUsable()
    if flight != nil {
      return isPausing ? .backingOff(accessTokenIsUsable: isUsable) : .refreshing(accessTokenIsUsable: isUsable)
    }
    if let misconfiguration, clock.elapsed() < misconfiguration.until { return .misconfigured }
    if clock.elapsed() < notBefore { return .backingOff(accessTokenIsUsable: isUsable) }
    if isUncertain { return .uncertain }
    if !isUsable { return .expired }
    return remaining < threshold ? .due : .fresh
  }

  /// The state now and every change from now on. Each call gives a sequence of its own; it ends with the manager.
  public func states() -> AsyncStream<TokenState> {
    let (stream, continuation) = AsyncStream.makeStream(of: TokenState.self, bufferingPolicy: .bufferingNewest(256))
    lastSubscriber += 1
    let id = lastSubscriber
    subscribers[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { [weak self] in await self?.unsubscribe(id) }
    }
    continuation.yield(state)
    if publishedState == nil { publishedState = state }
    return stream
  }

  private func unsubscribe(_ id: UInt64) { subscribers[id] = nil }

  /// Tells subscribers if the state is another one than before.
  func publish() {
    let state = state
    guard state != publishedState else { return }
    publishedState = state
    for subscriber in subscribers.values { subscriber.yield(state) }
  }

  /// Looks at the clock: tells subscribers if time has changed the state, and begins a refresh if one is due, without
  /// waiting for it. Call it from a
  /// timer, after ``secondsUntilRefresh``, while the app is active.
  public func refreshIfDue() async {
    guard (try? await load()) != nil, let record, record.isRefreshable, flight == nil, !isDirty else {
      return publish()
    }
    let isDue = isUncertain || remaining < threshold || !isUsable()
    let isHeldBack = clock.elapsed() < max(notBefore, misconfiguration?.until ?? notBefore)
    if isDue, !isHeldBack, !isUncertain || settings.replaysLostRotation { takeOff() }
    publish()
  }

  /// How long until a refresh is due; nil if there is nothing to refresh.
  public var secondsUntilRefresh: Double? {
    guard let record, record.isRefreshable else { return nil }
    return max(0, remaining - threshold, notBefore - clock.elapsed())
  }
}
