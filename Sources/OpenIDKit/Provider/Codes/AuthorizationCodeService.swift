import JOSE
import PureCrypto
import StrictJSON

/// A provider's authorization codes: issues them, redeems each once for its own client, and notices one that comes
/// again.
///
/// ```swift
/// let code = try await codes.issue(AuthorizationCodeGrant(asked, subject: user, sessionID: session))
///
/// let endpoint = TokenEndpoint(grants: [.authorizationCode(codes) { code, _ in
///   TokenAnswer(accessToken: try sign(code.grant), refreshToken: try code.issueRefreshToken().refreshToken)
/// }], authenticate: clients.authenticate)
/// ```
///
/// A code that is presented again gives nothing, and ends what it gave, by the grant's name: the refresh tokens whose
/// families have it (``RefreshGrant/grantID``), the access tokens, and the device secret of Native SSO that it made,
/// with the refresh tokens that came of that. The use of a code and the families that it begins are one commit: of two
/// requests at once one is answered, and then its tokens end. The store keeps no code, only what is needed to recognise
/// one.
///
/// Source: RFC 6749 §4.1.2, §4.1.3, §10.5; RFC 7636 §4.6; RFC 9449 §10; RFC 9700 §2.1.1, §4.5, §4.8.2; OpenID
/// Connect Core 1.0 §3.1.3.2.
public struct AuthorizationCodeService: Sendable {
  let store: AuthorizationCodeRecords
  let lifetime: Double
  let retention: Double
  let refreshTokens: RefreshTokenService?
  let revokedTokens: RevokedTokens?
  let clock: WallClock
  let random: RandomSource
  let onEvent: @Sendable (AuthorizationCodeEvent) async -> Void

  /// The codes of a provider with refresh tokens, which end if their code comes again. Codes are kept in the records of
  /// the refresh tokens.
  ///
  /// - Parameters:
  ///   - refreshTokens: begins and ends the families of refresh tokens that come of a code.
  ///   - lifetime: how long a code is good: 1 second to 10 minutes. The default is a minute.
  ///   - retention: how long a code that was used is remembered, so that a second use is known for what it is: at least
  ///     as long as the access tokens live that it gives. `lifetime` to a year; the default is a day.
  ///   - revokedTokens: told of the grants whose access tokens end; nil if no server introspects access tokens, which
  ///     then live on to their end.
  ///   - clock: tells when a code is good no more.
  ///   - onEvent: told what happens, for audit and alarms. The answer waits for it.
  /// - Throws: `ErrorCode.settingInvalid` with the parameter's name.
  public init(
    refreshTokens: RefreshTokenService, lifetime: Duration = .seconds(60), retention: Duration = .seconds(86_400),
    revokedTokens: RevokedTokens?, clock: WallClock = .system,
    onEvent: @escaping @Sendable (AuthorizationCodeEvent) async -> Void = { _ in }
  ) throws(OpenIDError) {
    try self.init(
      refreshTokens.families.records, refreshTokens, lifetime, retention, revokedTokens, clock, onEvent)
  }

  /// The codes of a provider without refresh tokens.
  ///
  /// - Parameters:
  ///   - records: where codes wait, shared by all machines of the provider. The default serves one process and forgets.
  ///   - lifetime: as in ``init(refreshTokens:lifetime:retention:revokedTokens:clock:onEvent:)``.
  ///   - retention: as there.
  ///   - revokedTokens: as there.
  ///   - clock: tells when a code is good no more.
  ///   - onEvent: told what happens, for audit and alarms. The answer waits for it.
  /// - Throws: `ErrorCode.settingInvalid` with the parameter's name.
  public init(
    records: any RecordStore = MemoryRecordStore(), lifetime: Duration = .seconds(60),
    retention: Duration = .seconds(86_400),
    revokedTokens: RevokedTokens?, clock: WallClock = .system,
    onEvent: @escaping @Sendable (AuthorizationCodeEvent) async -> Void = { _ in }
  ) throws(OpenIDError) {
    try self.init(records, nil, lifetime, retention, revokedTokens, clock, onEvent)
  }

  private init(
    _ records: any RecordStore, _ refreshTokens: RefreshTokenService?, _ lifetime: Duration, _ retention: Duration,
    _ revokedTokens: RevokedTokens?, _ clock: WallClock,
    _ onEvent: @escaping @Sendable (AuthorizationCodeEvent) async -> Void
  ) throws(OpenIDError) {
    for (name, isValid) in [
      ("lifetime", lifetime >= .seconds(1) && lifetime <= .seconds(600)),
      ("retention", retention >= lifetime && retention <= .seconds(31_536_000)),
    ] where !isValid {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: name)
    }
    store = AuthorizationCodeRecords(records, clock: clock)
    (self.lifetime, self.retention, self.clock) = (lifetime.inSeconds, retention.inSeconds, clock)
    (self.refreshTokens, self.revokedTokens) = (refreshTokens, revokedTokens)
    self.onEvent = onEvent
    random = .system
  }

  /// Makes a code for what a login has granted. Secret: it goes to the client's redirect URI and nowhere else.
  ///
  /// - Returns: 43 characters of base64url.
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func issue(_ grant: AuthorizationCodeGrant) async throws(OpenIDError) -> String {
    guard let code = try await issue(grant, with: []) else {
      throw OpenIDError(.storeUnavailable, "the store refused a fresh name")
    }
    return code
  }

  /// A code whose record is written in one commit with other changes; nil if these are refused.
  func issue(_ grant: AuthorizationCodeGrant, with changes: [RecordChange]) async throws(OpenIDError) -> String? {
    let code = AuthorizationCodeText.make(random)
    let insertion = insertion(
      of: AuthorizationCodeText.hash(of: code), grant, until: clock.now.advanced(by: lifetime))
    switch try await OpenIDError.askingStore({ try await store.records.settle([insertion] + changes) }) {
    case .done: return code
    case .refused(change: 1..., _): return nil
    case .refused: throw OpenIDError(.storeUnavailable, "the store refused a fresh name")
    }
  }

  /// The change that adds a code, by its hash.
  func insertion(of hash: [UInt8], _ grant: AuthorizationCodeGrant, until expiration: NumericDate) -> RecordChange {
    let record = AuthorizationCodeRecord(
      codeHash: hash, version: 0, grant: grant, expiration: expiration, use: .unused, removableAt: expiration)
    return .insert(store.record(of: record))
  }

  /// Redeems a code: makes the tokens, and then uses the code up and begins their families in one commit.
  ///
  /// A code that its own client presents is used up whatever comes of it, unless `make` could not ask what it has to,
  /// and so nothing was decided. Another client's request leaves it as it was, too.
  /// - Parameters:
  ///   - request: from a client that has been authenticated, or identified if it is public.
  ///   - make: makes the tokens; refresh tokens by ``RedeemedAuthorizationCode/issueRefreshToken(for:)``. What it
  ///     returns must not have been sent yet. It is called again, rarely, if another request has changed what is
  ///     written with the code: its session's record, and what Native SSO adds.
  /// - Returns: what `make` returns.
  /// - Throws: `ErrorCode.invalidGrant` for every fault of the code and of the parameters that go with
  ///   it, and for a code that was presented before or meanwhile; `ErrorCode.invalidTarget` for what was
  ///   not granted; `ErrorCode.storeUnavailable`, also where `make` throws an ``OAuthErrorResponse`` with
  ///   ``OAuthErrorCode/temporarilyUnavailable``; a ``OpenIDError`` of `make`, and `ErrorCode.serverError` for whatever
  ///   else it throws.
  public func redeem<Answer: Sendable>(
    _ request: AuthorizationCodeRedemption, make: (RedeemedAuthorizationCode) async throws -> Answer
  ) async throws(OpenIDError) -> Answer {
    guard request.code.utf8.count <= AuthorizationCodeText.maximumByteCount else { throw Self.invalidGrant }
    let hash = AuthorizationCodeText.hash(of: request.code)
    guard let record = try await OpenIDError.askingStore({ try await store.code(hash) }) else {
      throw Self.invalidGrant
    }
    guard WireName(record.grant.clientID) == request.clientID else {
      await emit(.wrongClient, record)
      throw Self.invalidGrant
    }
    guard record.use == .unused else { throw try await endReused(record) }
    guard clock.now < record.expiration else { throw Self.invalidGrant }

    // Each round but the last saw another request change what was to be written with the code.
    for _ in 0..<64 {
      let pending = RedemptionEffects()
      var answer = await answer(request, record, pending, make)
      // The client comes again with the code.
      if case .failure(.failed(let error)) = answer, error.code == .storeUnavailable { throw error }
      var effects = if case .success = answer { pending.take() } else { RedemptionEffects.State() }
      var restsOnSession = false
      if let sessions = try await requirements(of: effects, record) {
        effects.changes += sessions
        restsOnSession = !sessions.isEmpty
      } else {
        (answer, effects) = (.failure(.failed(Self.invalidGrant)), RedemptionEffects.State())
      }
      switch try await commit(record, as: .used, effects) {
      case .done: return try await finish(answer, effects, record, restsOnSession)
      case .changed: continue
      case .reused:
        // Of two that present a code at once one has it, and the other one ends what it gave.
        guard let current = try await OpenIDError.askingStore({ try await store.code(hash) }) else {
          throw Self.invalidGrant
        }
        throw try await endReused(current)
      }
    }
    throw OpenIDError(.storeUnavailable, "too many logins of one user at once")
  }

  // MARK: Steps

  /// Gives out an answer whose code is used up now.
  ///
  /// - Parameter restsOnSession: whether the commit has compared the session. Then the answer goes out also where the
  ///   session can't be looked at once more: the code is used up, and nothing has shown that the session is over.
  private func finish<Answer: Sendable>(
    _ answer: Result<Answer, NoAnswer>, _ effects: RedemptionEffects.State, _ record: AuthorizationCodeRecord,
    _ restsOnSession: Bool
  ) async throws(OpenIDError) -> Answer {
    switch answer {
    case .failure(.refused(let parameter, let error)):
      await emit(.refused(parameter: parameter), record)
      throw error
    case .failure(.failed(let error)): throw error
    case .success(let value):
      await emit(.redeemed, record)
      do {
        for step in effects.afterwards {
          do {
            try await step()
          } catch let error as OpenIDError where error.code == .storeUnavailable && restsOnSession {
            continue
          }
        }
        for login in effects.logins { try await refreshTokens?.finish(login, restsOnSession: restsOnSession) }
      } catch {
        // No client gets the answer: what it would have held must neither serve nor count. What can't be ended now
        // expires unused.
        for login in effects.logins { try? await refreshTokens?.revoke(login.family.id, .notIssued) }
        var made = record
        made.deviceSecretID = effects.deviceSecretID
        try? await end(made, .notIssued)
        throw error as? OpenIDError ?? Self.invalidGrant
      }
      return value
    }
  }

  /// What the commit rests on that begins these logins or makes a device secret: their sessions, as they are now. Nil
  /// if one of them has ended; empty if the records don't have them.
  private func requirements(
    of effects: RedemptionEffects.State, _ record: AuthorizationCodeRecord
  ) async throws(OpenIDError) -> [RecordChange]? {
    var sessions = effects.logins.compactMap(\.family.grant.sessionID)
    if !effects.changes.isEmpty, let session = record.grant.sessionID { sessions.append(session) }
    var changes: [RecordChange] = []
    for sessionID in sessions.distinct {
      let required = try await OpenIDError.askingStore {
        try await SessionRecords.requirement(of: sessionID, in: store.records)
      }
      guard let required else { return nil }
      changes += required
    }
    return changes
  }

  /// Why there is no answer.
  private enum NoAnswer: Error {
    /// A parameter is not as the code demands it.
    case refused(parameter: String, OpenIDError)
    /// The tokens could not be made.
    case failed(OpenIDError)
  }

  /// What a request is to be answered with.
  private func answer<Answer: Sendable>(
    _ request: AuthorizationCodeRedemption, _ record: AuthorizationCodeRecord, _ effects: RedemptionEffects,
    _ make: (RedeemedAuthorizationCode) async throws -> Answer
  ) async -> Result<Answer, NoAnswer> {
    if let parameter = request.fault(against: record.grant) {
      return .failure(.refused(parameter: parameter, Self.invalidGrant))
    }
    guard request.resources.wireNames.allSatisfy(record.grant.resources.contains) else {
      let error = OpenIDError(
        .invalidTarget, "the requested resource was not granted", name: "resource")
      return .failure(.refused(parameter: "resource", error))
    }
    let resources = request.resources.isEmpty ? record.grant.resources : request.resources
    do {
      return .success(
        try await make(
          RedeemedAuthorizationCode(
            grant: record.grant, resources: resources, refreshTokens: refreshTokens, effects: effects,
            key: record.codeHash)))
    } catch let error as OpenIDError {
      return .failure(.failed(error))
    } catch let error as OAuthErrorResponse where error.code == .temporarilyUnavailable {
      return .failure(
        .failed(OpenIDError(.storeUnavailable, "the answer could not be made now; the code is not used up")))
    } catch {
      return .failure(.failed(OpenIDError(.serverError, "the answer could not be made; the code is used up")))
    }
  }

  /// What became of a commit that uses a code up.
  private enum Commit {
    /// All changes were made.
    case done
    /// None was: the code is not as it was read.
    case reused
    /// None was: the code is as it was read, and what was to be written with it is not.
    case changed
  }

  /// Notes what has become of a code, and makes the other changes with it.
  private func commit(
    _ record: AuthorizationCodeRecord, as use: AuthorizationCodeRecord.Use,
    _ effects: RedemptionEffects.State = RedemptionEffects.State()
  ) async throws(OpenIDError) -> Commit {
    var next = record
    next.use = use
    next.deviceSecretID = effects.deviceSecretID ?? record.deviceSecretID
    next.removableAt = max(record.removableAt, clock.now.advanced(by: retention))
    let own = [.replace(store.record(of: next))] + effects.logins.map(\.insertion)
    switch try await OpenIDError.askingStore({ try await store.records.settle(own + effects.changes) }) {
    case .done: return .done
    case .refused(change: 0, _): return .reused
    case .refused(change: own.count..., _): return .changed
    case .refused: throw OpenIDError(.storeUnavailable, "the store refused a fresh name")
    }
  }

  /// Ends what a code gave that is presented again. Returns the answer to the client that presented it.
  private func endReused(_ record: AuthorizationCodeRecord) async throws(OpenIDError) -> OpenIDError {
    if record.use != .reused { _ = try await commit(record, as: .reused) }
    await emit(.reused, record)
    try await end(record, .reuse)
    return Self.invalidGrant
  }

  /// Ends what a code gave, each whatever becomes of the others.
  private func end(_ record: AuthorizationCodeRecord, _ reason: LogoutReason) async throws(OpenIDError) {
    var failure: OpenIDError?
    if let revokedTokens {
      // Another machine's clock may be a little ahead.
      let end = clock.now.advanced(by: retention + RotationPolicy.clockSkew.inSeconds)
      do throws(OpenIDError) {
        try await revokedTokens.revoke(.grant(record.grant.id), until: end)
      } catch {
        // The refresh tokens end nevertheless.
        failure = error
      }
    }
    do throws(OpenIDError) {
      try await refreshTokens?.revoke(.grant(record.grant.id), reason)
    } catch {
      failure = error
    }
    if let id = record.deviceSecretID {
      // First it gives no tokens any more, then those go that came of it.
      do throws(OpenIDError) {
        try await OpenIDError.askingStore {
          _ = try await StoredDeviceSecret.revoke(Array(id.utf8), reason, at: clock.now, in: store.records)
        }
      } catch {
        failure = error
      }
      do throws(OpenIDError) {
        try await refreshTokens?.revoke(.deviceSecret(id), reason)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func emit(_ kind: AuthorizationCodeEvent.Kind, _ record: AuthorizationCodeRecord) async {
    await onEvent(
      AuthorizationCodeEvent(
        kind: kind, grantID: record.grant.id, clientID: record.grant.clientID, subject: record.grant.subject))
  }

  /// The one text for every refusal of a code, so that its reason can't be told from outside.
  private static var invalidGrant: OpenIDError {
    OpenIDError(.invalidGrant, "the authorization code is not valid")
  }
}
