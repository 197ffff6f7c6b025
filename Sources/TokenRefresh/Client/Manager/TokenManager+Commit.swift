import JOSE
import StrictJSON

/// What became of a new record.
enum CommitResult {
  /// It is in the store.
  case stored
  /// The store failed: it is in memory only.
  case failed
  /// Another process stored something newer.
  case superseded(TokenRecord)
  /// The store is empty: another process, or this one, logged out.
  case loggedOut
}

extension TokenManager {
  /// Stores new tokens, then hands them out.
  func commit(
    _ tokens: RefreshedTokens, _ attempt: RefreshAttempt, _ startedAt: Moment, _ id: UInt64
  ) async -> RefreshStep {
    guard isCurrent(attempt), let old = record else {
      await drop(.tokens(tokens), of: attempt)
      return .done
    }
    var new = old.renewed(by: tokens, at: startedAt.date)
    if let idToken = tokens.idToken, let idTokenCheck {
      // The refresh token counts whatever the ID token says; the access token only if that is sound.
      await keep(newRefreshToken: tokens.refreshToken ?? attempt.refreshToken, attempt, id)
      guard isFlying(id) else { return .done }
      guard await idTokenCheck.accepts(idToken, continuing: old.idToken) else { return rejectIDToken(id) }
      guard isFlying(id), let kept = record else { return .done }
      new.generation = kept.generation
      new.revision = kept.revision + 1
    }
    let result = await persist(new, over: record?.generation ?? old.generation)
    guard isFlying(id) else {
      await drop(.tokens(tokens), of: attempt)
      return .done
    }
    switch result {
    case .stored, .failed:
      record = new
      if case .stored = result, let storedVersion { record?.revision = storedVersion.revision }
      renewAnchors(startedAt)
      if case .failed = result { markDirty() }
    case .superseded(let stored):
      take(stored)
    case .loggedOut:
      forget()
      land(.failure(TokenRefreshError(.loggedOut, "another process logged out")))
      await drop(.tokens(tokens), of: attempt)
      return .done
    }
    succeed()
    return .done
  }

  private func rejectIDToken(_ id: UInt64) -> RefreshStep {
    guard isFlying(id) else { return .done }
    // The record stays in the store with its refresh token. Until the next start or login nothing is done with it.
    record = nil
    end = .identityTokenInvalid
    land(.failure(TokenRefreshError(.identityTokenInvalid, "the ID token is not the login's", name: "id_token")))
    return .done
  }

  /// Stores a new refresh token that came with an answer which is not usable, or not yet.
  func keep(newRefreshToken refreshToken: String, _ attempt: RefreshAttempt, _ id: UInt64) async {
    guard isCurrent(attempt), var new = record else { return }
    new.refreshToken = refreshToken
    new.generation += 1
    new.revision += 1
    new.pendingRotation = nil
    new.accessToken = nil
    let result = await persist(new, over: attempt.generation)
    guard isFlying(id) else { return }
    switch result {
    case .stored, .failed:
      record = new
      if case .stored = result, let storedVersion { record?.revision = storedVersion.revision }
      if case .failed = result { markDirty() }
      isUncertain = false
    case .superseded(let stored):
      take(stored)
    case .loggedOut:
      forget()
    }
  }

  /// Puts a record into the store, if that has nothing newer than a generation.
  func persist(_ record: TokenRecord, over generation: UInt64) async -> CommitResult {
    var record = record
    for _ in 0..<8 {
      do {
        if try await store.replace(storedVersion, with: record) {
          storedVersion = record.version
          return .stored
        }
        guard let stored = try await store.load() else { return .loggedOut }
        guard stored.loginID.hasSameBytes(as: record.loginID), stored.generation <= generation else {
          return .superseded(stored)
        }
        storedVersion = stored.version
        record.revision = stored.revision + 1
      } catch {
        return .failed
      }
    }
    return .failed
  }

  private func markDirty() {
    guard !isDirty else { return }
    isDirty = true
    Task { await self.persistUntilClean() }
  }

  private func persistUntilClean() async {
    var pause = settings.backoffBase
    while isDirty {
      guard (try? await clock.sleep(pause)) != nil, isDirty else { return }
      if await persistDirtyRecord() { return }
      pause = min(max(pause, 1) * 2, settings.backoffCap)
    }
  }

  /// Tries to store what is in memory only. Returns whether store and memory agree now.
  func persistDirtyRecord() async -> Bool {
    guard isDirty, let dirty = record else { return true }
    let result = await persist(dirty, over: dirty.generation - 1)
    guard isDirty, let record, record.loginID.hasSameBytes(as: dirty.loginID) else { return true }
    switch result {
    case .failed: return false
    case .stored:
      if let storedVersion { self.record?.revision = storedVersion.revision }
    case .superseded(let stored):
      // The same generation in the store is this one, written by an attempt that seemed to fail.
      if stored.generation >= record.generation { take(stored) }
    case .loggedOut: forget()
    }
    isDirty = false
    publish()
    return true
  }

  /// A refresh has brought a good token: everybody gets it.
  func succeed() {
    failures = 0
    unusableAnswers = 0
    notBefore = -.infinity
    misconfiguration = nil
    isUncertain = record?.pendingRotation != nil
    guard let accessToken else { return land(.failure(.unavailable(after: nil))) }
    land(.success(accessToken))
  }
}

extension TokenRecord {
  /// The record after a refresh that was begun at `date`.
  func renewed(by tokens: RefreshedTokens, at date: NumericDate) -> TokenRecord {
    var new = self
    new.revision += 1
    new.generation += 1
    new.pendingRotation = nil
    new.accessToken = tokens.accessToken
    new.tokenType = tokens.tokenType
    new.issuedAt = date
    new.lifetime = Self.lifetime(tokens.expiresIn)
    if let refreshToken = tokens.refreshToken {
      new.refreshToken = refreshToken
      new.refreshTokenExpiration = tokens.refreshTokenExpiresIn.map { date.advanced(by: Self.lifetime($0)) }
    }
    if let idToken = tokens.idToken { new.idToken = idToken }
    // A narrower scope is this access token's; the refresh token keeps the grant.
    return new
  }

  /// A lifetime that can be reckoned with: 300 seconds if the server does not say, 10 years at most.
  static func lifetime(_ seconds: Double?) -> Double { max(0, min(seconds ?? 300, 315_360_000)) }
}
