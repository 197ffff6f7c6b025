import JOSE
import PureCrypto
import StrictJSON

/// What varies between the requests of one episode.
struct RefreshEpisode {
  let flight: UInt64
  let startedAt: Double
  var scope: String?
  var dpopNonce: String?
  var attemptCount = 0
}

/// How an episode goes on after a step.
enum RefreshStep {
  /// It is over; waiters have been answered.
  case done
  /// Another request after a pause.
  case again(after: Double)
}

extension TokenManager {
  /// Begins a refresh. Only when none is under way.
  func takeOff() {
    lastFlight += 1
    let id = lastFlight
    flight = id
    isPausing = false
    publish()
    // Unstructured on purpose: no caller's cancellation may reach a request whose answer carries the only good token.
    Task { await self.fly(id) }
  }

  private func fly(_ id: UInt64) async {
    let isLocked = await lock?.acquire(lease: settings.lockLease) ?? false
    var episode = RefreshEpisode(flight: id, startedAt: clock.elapsed(), scope: settings.requestedScope)
    while isFlying(id) {
      guard case .again(let pause) = await step(&episode), isFlying(id) else { break }
      guard pause > 0 else { continue }
      isPausing = true
      publish()
      let didSleep = (try? await clock.sleep(pause)) != nil
      guard isFlying(id) else { break }
      isPausing = false
      guard didSleep else {
        land(.failure(.unavailable(after: nil)))
        break
      }
      publish()
    }
    if isLocked { await lock?.release() }
  }

  /// Ends the refresh and answers every waiter.
  func land(_ result: Result<AccessToken, TokenRefreshError>) {
    flight = nil
    isPausing = false
    resumeWaiters(result)
    publish()
  }

  /// One request: look whether it is still needed, announce it, send it, deal with the answer.
  private func step(_ episode: inout RefreshEpisode) async -> RefreshStep {
    if let late = takeLateAnswer() { return await commit(late.tokens, late.attempt, late.startedAt, episode.flight) }
    do {
      guard try await isStillNeeded(episode.flight) else { return .done }
      guard try await announceRotation(episode.flight) else { return .again(after: 0) }
    } catch {
      guard isFlying(episode.flight) else { return .done }
      return await retry(after: nil, episode, error: TokenRefreshError(.storage, "the store failed; nothing was sent"))
    }
    guard isFlying(episode.flight), let record, let refreshToken = record.refreshToken else { return .done }
    if let late = takeLateAnswer() { return await commit(late.tokens, late.attempt, late.startedAt, episode.flight) }
    let attempt = RefreshAttempt(
      refreshToken: refreshToken, scope: episode.scope, dpopNonce: episode.dpopNonce,
      attemptNumber: episode.attemptCount, loginID: record.loginID, generation: record.generation)
    episode.attemptCount += 1
    let startedAt = now
    let outcome = await send(attempt, startedAt: startedAt)
    guard isFlying(episode.flight) else {
      await drop(outcome, of: attempt)
      return .done
    }
    switch outcome {
    case .tokens(let tokens): return await commit(tokens, attempt, startedAt, episode.flight)
    case .failed(let failure): return await handle(failure, of: attempt, startedAt: startedAt, &episode)
    }
  }

  /// Reads the store again: another process may have refreshed, or logged out.
  private func isStillNeeded(_ id: UInt64) async throws -> Bool {
    let stored = try await store.load()
    guard isFlying(id), let record else { return false }
    guard let stored else {
      forget()
      land(.failure(TokenRefreshError(.loggedOut, "another process logged out")))
      return false
    }
    if let storedVersion, stored.version.isSame(as: storedVersion) { return true }
    guard stored.loginID.hasSameBytes(as: record.loginID), stored.generation <= record.generation else {
      take(stored)
      guard record.isRefreshable, !isUsable() || remaining < threshold else {
        succeed()
        return false
      }
      return true
    }
    // Another process has announced a rotation: it may be under way.
    storedVersion = stored.version
    self.record?.revision = stored.revision
    self.record?.pendingRotation = stored.pendingRotation
    isUncertain = isUncertain || stored.pendingRotation != nil
    return true
  }

  /// Writes ahead that this refresh token is about to be sent. Returns false if another process was faster.
  private func announceRotation(_ id: UInt64) async throws -> Bool {
    guard var announced = record, let refreshToken = announced.refreshToken else { return false }
    let fingerprint = Self.fingerprint(of: refreshToken)
    if announced.pendingRotation?.refreshTokenFingerprint.hasSameBytes(as: fingerprint) ?? false { return true }
    announced.pendingRotation = TokenRecord.PendingRotation(
      startedAt: clock.wall.now, refreshTokenFingerprint: fingerprint)
    announced.revision += 1
    guard try await store.replace(storedVersion, with: announced) else { return false }
    guard isFlying(id) else { return false }
    storedVersion = announced.version
    record = announced
    return true
  }

  /// Takes the announcement back after a definite answer that nothing was rotated. If the store fails, the next start
  /// is merely too careful.
  func withdrawAnnouncement(_ id: UInt64) async {
    guard !isUncertain, var record, record.pendingRotation != nil else { return }
    record.pendingRotation = nil
    record.revision += 1
    guard (try? await store.replace(storedVersion, with: record)) ?? false, isFlying(id) else { return }
    storedVersion = record.version
    self.record = record
  }

  private static func fingerprint(of token: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let hex = SHA2.SHA256.hash(token.utf8).prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: hex, as: UTF8.self)
  }
}
