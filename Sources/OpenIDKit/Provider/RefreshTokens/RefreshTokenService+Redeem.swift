import JOSE
import StrictJSON

extension RefreshTokenService {
  /// Redeems a refresh token.
  ///
  /// Everything is checked and made before anything is changed, and the change is one compare-and-set: of two requests
  /// at once one rotates, and the other finds that its token is the predecessor.
  /// - Parameters:
  ///   - request: from a client that has been authenticated, or identified if it is public.
  ///   - make: makes the access token, and the ID token if there is one. The session and the user are looked at
  ///     afterwards, since this may take a while: what it made is dropped if they have ended. If it throws, nothing has
  ///     been rotated. A ``OpenIDError`` is thrown on.
  /// - Throws: `ErrorCode.invalidGrant` for every fault of the token, and for a user who is gone by now,
  ///   `ErrorCode.invalidScope`, `ErrorCode.invalidTarget`, `ErrorCode.tooManyRequests` for a replay that is one too
  ///   many, `ErrorCode.serverError`, `ErrorCode.storeUnavailable`.
  public func redeem<Artefacts: Sendable>(
    _ request: RefreshRedemption, make: (RefreshedGrant) async throws -> Artefacts
  ) async throws(OpenIDError) -> RefreshResult<Artefacts> {
    guard let presented = format.parse(request.refreshToken) else { throw Self.foreignToken }
    // Each round that fails saw another request succeed; a handful is plenty, and no round can run for ever.
    for _ in 0..<32 {
      guard let stored = try await OpenIDError.askingStore({ try await families.stored(presented.family) }) else {
        throw Self.invalidGrant
      }
      let family = try await OpenIDError.askingStore { try RefreshTokenFamilyRecords.family(in: stored) }
      let step = try await judge(presented, family, request)
      let successor = step.successor
      let made: (grant: RefreshedGrant, artefacts: Artefacts)
      do {
        let grant = refreshedGrant(
          successor, generation: successor.generation, scope: try allowedScope(request.scope, family),
          resources: try allowedResources(request.resources, family))
        made = (grant, try await make(grant))
      } catch {
        // The tokens of a user who is gone may fail to be made for that reason, which is then the answer.
        try await requireAlive(family)
        throw error as? OpenIDError ?? OpenIDError(.serverError, "the answer could not be made; nothing was rotated")
      }
      try await requireAlive(family)
      guard try await OpenIDError.askingStore({ try await families.replace(with: successor, indexes: stored.indexes) })
      else {
        continue
      }
      await emit(step.isReplay ? .replayed : .rotated, successor)
      return RefreshResult(
        refreshToken: format.token(of: successor.id, generation: successor.generation), artefacts: made.artefacts,
        grant: made.grant, isReplay: step.isReplay)
    }
    throw OpenIDError(.serverError, "too many requests for one family at once")
  }

  /// Whether a refresh token would be honoured now, for introspection and for other requests that present it. Nothing
  /// is rotated.
  ///
  /// A token that has been replaced is treated as in a redemption: outside the grace rule its family is revoked.
  /// - Throws: as ``redeem(_:make:)``.
  public func check(_ request: RefreshRedemption) async throws(OpenIDError) -> RefreshedGrant {
    guard let presented = format.parse(request.refreshToken) else { throw Self.foreignToken }
    guard let family = try await OpenIDError.askingStore({ try await families.family(presented.family) }) else {
      throw Self.invalidGrant
    }
    _ = try await judge(presented, family, request)
    try await requireAlive(family)
    return refreshedGrant(
      family, generation: family.generation, scope: try allowedScope(request.scope, family),
      resources: try allowedResources(request.resources, family))
  }

  /// What a refresh token stands for, for the client that it was issued to; nil for any other, and for one that would
  /// not be honoured now.
  func grant(of token: String, for client: AuthenticatedClient) async throws(OpenIDError) -> RefreshGrant? {
    do throws(OpenIDError) {
      return try await check(
        RefreshRedemption(refreshToken: token, clientID: client.id, confirmation: client.confirmation)
      ).grant
    } catch {
      guard error.code == .invalidGrant || error.code == .tooManyRequests else { throw error }
      return nil
    }
  }

  /// Whether access tokens of a family and generation are to be honoured: for resource servers that ask.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func isAccessTokenActive(
    family id: RefreshTokenFamily.ID, generation: UInt64
  ) async throws(OpenIDError) -> Bool {
    guard let family = try await OpenIDError.askingStore({ try await families.family(id) }), family.status == .active
    else {
      return false
    }
    return !policy.revokesPreviousAccessToken || generation == family.generation
  }

  // MARK: Steps

  /// What a redemption would make of a family.
  private struct Step {
    var successor: RefreshTokenFamily
    var isReplay: Bool
  }

  private func judge(
    _ presented: RefreshTokenFormat.Parsed, _ family: RefreshTokenFamily, _ request: RefreshRedemption
  ) async throws(OpenIDError) -> Step {
    let now = clock.now
    // Another client's identifier proves nothing against the owner, so nothing is revoked for it.
    guard WireName(family.grant.clientID) == request.clientID else {
      throw OpenIDError(.invalidGrant, "the refresh token belongs to another client")
    }
    if let bound = family.grant.confirmation {
      guard let proved = request.confirmation, WireName(proved) == bound else {
        await emit(.confirmationMismatch, family)
        throw Self.invalidGrant
      }
    }
    guard family.status == .active else { throw Self.invalidGrant }
    guard !isExpired(family, at: now) else {
      try await revoke(family.id, .expired)
      throw Self.invalidGrant
    }
    // A token that comes again is no reason for an alarm where its session has ended anyway.
    if presented.generation != family.generation { try await requireAlive(family) }
    // A MAC of ours on a generation that never was means that the key has leaked, or the store went back in time.
    guard presented.generation <= family.generation else { throw Self.invalidGrant }
    var successor = family
    successor.lastUsedAt = max(now, family.lastUsedAt)
    if presented.generation == family.generation {
      return Step(successor: policy.rotates ? rotated(successor, at: now) : successor, isReplay: false)
    }
    guard isForgivable(presented, family, at: now) else {
      try await punish(presented, family, at: now)
      throw OpenIDError(
        .invalidGrant,
        policy.onReuse == .deny
          ? "the refresh token was used before" : "the refresh token was used twice: its login is over, log in again")
    }
    // The client has its successor from one of the others, or a thief the client's: neither ends the login.
    guard family.replayCount < policy.maximumReplays else {
      throw OpenIDError(
        .tooManyRequests, "the refresh token was presented too often at once", retryAfter: .seconds(1))
    }
    successor.replayCount += 1
    if policy.graceMode == .newestWins {
      // The unused successor dies by no longer being current.
      successor.generation += 1
    }
    return Step(successor: successor, isReplay: true)
  }

  /// Asks whether the session is alive and the user active.
  private func requireAlive(_ family: RefreshTokenFamily) async throws(OpenIDError) {
    guard let reason = try await OpenIDError.askingStore({ try await whyEnded(family.grant) }) else { return }
    try await revoke(family.id, reason)
    throw Self.invalidGrant
  }

  private func rotated(_ family: RefreshTokenFamily, at now: NumericDate) -> RefreshTokenFamily {
    var family = family
    family.generation += 1
    family.rotatedAt = now
    family.replayCount = 0
    if policy.slidesAbsoluteLifetime, let lifetime = policy.absoluteLifetime {
      family.absoluteExpiration = now.advanced(by: lifetime)
    }
    return family
  }

  /// Whether a token that is not current is the immediate predecessor of an unused successor, and in time.
  ///
  /// A used successor has a successor of its own, so that the presented token is then a grandparent.
  private func isForgivable(
    _ presented: RefreshTokenFormat.Parsed, _ family: RefreshTokenFamily, at now: NumericDate
  ) -> Bool {
    guard policy.rotates, policy.graceMode != .off, policy.grace > .zero, let rotatedAt = family.rotatedAt
    else { return false }
    // The rotation may have been dated by another machine, whose clock is a little ahead of this one's.
    let age = now.secondsSince1970 - rotatedAt.secondsSince1970
    guard age >= -RotationPolicy.clockSkew.inSeconds, age <= policy.grace.inSeconds else { return false }
    // Under newestWins each replay moves the generation on by one; the predecessor stays the same token.
    let distance = policy.graceMode == .newestWins ? UInt64(family.replayCount) + 1 : 1
    return family.generation - presented.generation == distance
  }

  private func punish(
    _ presented: RefreshTokenFormat.Parsed, _ family: RefreshTokenFamily, at now: NumericDate
  ) async throws(OpenIDError) {
    let age = now.secondsSince1970 - (family.rotatedAt ?? family.createdAt).secondsSince1970
    let event = RefreshTokenEvent.Kind.reuse(
      presentedGeneration: presented.generation, timeSinceRotation: Duration(saturating: age))
    await emit(event, family)
    switch policy.onReuse {
    case .deny: return
    case .revokeFamily: try await revoke(family.id, .reuse)
    case .revokeSession:
      try await revoke(family.id, .reuse)
      if let session = family.grant.sessionID { try await revoke(.session(session), .reuse) }
    }
  }

  func isExpired(_ family: RefreshTokenFamily, at now: NumericDate) -> Bool {
    if let end = family.absoluteExpiration, now >= end { return true }
    guard let idleTimeout = policy.idleTimeout else { return false }
    return now.secondsSince1970 - family.lastUsedAt.secondsSince1970 > idleTimeout.inSeconds
  }

  private func allowedScope(_ asked: [String]?, _ family: RefreshTokenFamily) throws(OpenIDError) -> [String] {
    guard let asked else { return family.grant.scope }
    guard asked.wireNames.allSatisfy(family.grant.scope.contains) else {
      throw OpenIDError(.invalidScope, "the requested scope exceeds the granted scope", name: "scope")
    }
    return asked
  }

  private func allowedResources(_ asked: [String], _ family: RefreshTokenFamily) throws(OpenIDError) -> [String] {
    guard !asked.isEmpty else { return family.grant.resources }
    guard asked.wireNames.allSatisfy(family.grant.resources.contains) else {
      throw OpenIDError(.invalidTarget, "the requested resource was not granted", name: "resource")
    }
    return asked
  }
}
