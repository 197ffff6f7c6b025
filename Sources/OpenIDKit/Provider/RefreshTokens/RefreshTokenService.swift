import JOSE
import PureCrypto
import StrictJSON

/// A provider's refresh tokens: issues them, redeems each once, notices reuse, and revokes.
///
/// ```swift
/// let result = try await service.redeem(request) { grant in
///   try makeAccessToken(for: grant)
/// }
/// ```
///
/// Source: RFC 6749 §6, §10.4; RFC 9700 §4.14.
public struct RefreshTokenService: Sendable {
  /// How tokens are treated.
  public let policy: RotationPolicy
  let format: RefreshTokenFormat
  let families: RefreshTokenFamilyRecords
  let clock: WallClock
  let random: RandomSource
  let sessions: any SessionDirectory
  let onEvent: @Sendable (RefreshTokenEvent) async -> Void

  /// A service.
  ///
  /// - Parameters:
  ///   - policy: lifetimes, and what becomes of tokens that come twice.
  ///   - format: holds the secret key, the same on all machines of one provider and after a restart.
  ///   - sessions: asked at each redemption, once the tokens are made, and before a token is refused: a family whose
  ///     user is disabled or whose session has ended is revoked.
  ///   - records: where families live, shared by these machines too. The default serves one process and forgets.
  ///   - clock: dates families and judges their age.
  ///   - onEvent: told what happens, for audit and alarms. The answer waits for it.
  /// - Throws: `ErrorCode.settingInvalid`.
  public init(
    policy: RotationPolicy = RotationPolicy(), format: RefreshTokenFormat, sessions: any SessionDirectory,
    records: any RecordStore = MemoryRecordStore(), clock: WallClock = .system,
    onEvent: @escaping @Sendable (RefreshTokenEvent) async -> Void = { _ in }
  ) throws(OpenIDError) {
    try self.init(
      policy: policy, format: format, sessions: sessions, records: records, clock: clock, onEvent: onEvent,
      random: .system)
  }

  package init(
    policy: RotationPolicy, format: RefreshTokenFormat, sessions: any SessionDirectory, records: any RecordStore,
    clock: WallClock, onEvent: @escaping @Sendable (RefreshTokenEvent) async -> Void, random: RandomSource
  ) throws(OpenIDError) {
    try policy.requireValid()
    (self.policy, self.format, self.clock) = (policy, format, clock)
    families = RefreshTokenFamilyRecords(records, idleTimeout: policy.idleTimeout)
    self.sessions = sessions
    self.onEvent = onEvent
    self.random = random
  }

  /// Begins a family for a login and returns its first token with the grant to make an access token from.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`; `ErrorCode.invalidGrant` if the session or the user is
  ///   gone by now.
  public func issue(
    _ grant: RefreshGrant
  ) async throws(OpenIDError) -> (refreshToken: String, grant: RefreshedGrant) {
    let login = try begin(grant)
    // Each round but the last saw something else change the session's record.
    for _ in 0..<64 {
      let session = try await OpenIDError.askingStore {
        try await SessionRecords.requirement(of: grant.sessionID, in: families.records)
      }
      guard let session else { throw Self.invalidGrant }
      switch try await OpenIDError.askingStore({ try await families.records.settle([login.insertion] + session) }) {
      case .done:
        try await finish(login, restsOnSession: !session.isEmpty)
        return (login.refreshToken, login.grant)
      case .refused(change: 1..., _): continue
      case .refused: throw OpenIDError(.storeUnavailable, "the store refused a fresh name")
      }
    }
    throw OpenIDError(.storeUnavailable, "too many logins of one session at once")
  }

  /// Why a login has ended that tokens were granted to; nil if it hasn't.
  func whyEnded(_ grant: RefreshGrant) async throws -> LogoutReason? {
    try await sessions.whyEnded(userID: grant.subject, sessionID: outlivesSession(grant) ? nil : grant.sessionID)
  }

  /// Whether a login goes on when its session ends.
  func outlivesSession(_ grant: RefreshGrant) -> Bool {
    policy.offlineAccessOutlivesSession && grant.deviceSecretID == nil
      && grant.scope.wireNames.contains("offline_access")
  }

  /// A login whose family may not be in the store yet.
  struct BegunLogin: Sendable {
    let family: RefreshTokenFamily
    let refreshToken: String
    let grant: RefreshedGrant
    /// Puts the family there.
    let insertion: RecordChange
  }

  /// Makes a family, which is not in the store yet.
  func begin(_ grant: RefreshGrant) throws(OpenIDError) -> BegunLogin {
    guard let id = RefreshTokenFamily.ID(octets: random.bytes(16)) else {
      throw OpenIDError(.serverError, "no name could be made for the family")
    }
    let now = clock.now
    let family = RefreshTokenFamily(
      id: id, grant: grant, createdAt: now, absoluteExpiration: policy.absoluteLifetime.map { now.advanced(by: $0) })
    return BegunLogin(
      family: family, refreshToken: format.token(of: id, generation: 1),
      grant: refreshedGrant(family, generation: 1, scope: grant.scope, resources: grant.resources),
      insertion: .insert(families.record(of: family)))
  }

  /// Requires a login to last, now that its family is in the store, and makes room for it.
  ///
  /// - Parameter restsOnSession: whether the commit has compared the session. Then the login lasts also where that
  ///   can't be asked once more; there may be one login too many until the next.
  func finish(_ login: BegunLogin, restsOnSession: Bool) async throws(OpenIDError) {
    let id = login.family.id
    do throws(OpenIDError) {
      // The end of the session meanwhile has revoked what there was; what came later is revoked here.
      if let reason = try await OpenIDError.askingStore({ try await whyEnded(login.family.grant) }) {
        try await revoke(id, reason)
        throw Self.invalidGrant
      }
      try await revokeOverflow(login.family.grant, sparing: id)
    } catch {
      guard error.code != .storeUnavailable || !restsOnSession else { return }
      // No client gets its token: it must not count among the user's logins.
      try? await revoke(id, .notIssued)
      throw error
    }
  }

  func refreshedGrant(
    _ family: RefreshTokenFamily, generation: UInt64, scope: [String], resources: [String]
  ) -> RefreshedGrant {
    RefreshedGrant(
      grant: family.grant, scope: scope, resources: resources, family: family.id, generation: generation,
      accessTokenLifetime: policy.lifetime(asked: family.grant.accessTokenLifetime), beganAt: family.createdAt)
  }

  func emit(_ kind: RefreshTokenEvent.Kind, _ family: RefreshTokenFamily) async {
    await onEvent(
      RefreshTokenEvent(
        kind: kind, family: family.id, clientID: family.grant.clientID, subject: family.grant.subject,
        generation: family.generation))
  }

  /// The refusal of a token whose history is not for the caller to see. ``TokenEndpoint`` sends one text for
  /// every refusal, so that no reason can be told from outside.
  static var invalidGrant: OpenIDError { OpenIDError(.invalidGrant, "the refresh token is not valid") }

  static var foreignToken: OpenIDError {
    OpenIDError(.invalidGrant, "the text is not a refresh token of this service and key")
  }
}

extension RefreshTokenService {
  /// Revokes the family of a refresh token, as its client asked. Any token of the family will do; one that is unknown
  /// or over changes nothing.
  ///
  /// Source: RFC 7009 §2.1, §2.2.
  ///
  /// - Throws: `ErrorCode.invalidGrant` for another client's token, which stays good;
  ///   `ErrorCode.storeUnavailable`.
  public func revoke(refreshToken: String, clientID: String) async throws(OpenIDError) {
    guard let presented = format.parse(refreshToken),
      let family = try await OpenIDError.askingStore({ try await families.family(presented.family) }),
      family.status == .active, !isExpired(family, at: clock.now)
    else { return }
    guard WireName(family.grant.clientID) == clientID else {
      throw OpenIDError(.invalidGrant, "the refresh token belongs to another client")
    }
    try await revoke(family.id, .revokedByClient)
  }

  /// Revokes families: all of a user after a password change or when the user is disabled, those of a session at its
  /// end, all that are older than a bulk withdrawal.
  ///
  /// - Parameters:
  ///   - selection: which families. Those that have ended already keep their reason.
  ///   - reason: kept with the family, for audit. Clients are only told `invalid_grant`.
  ///   - kept: a family that stays, such as the one in which the user changed the password.
  /// - Throws: `ErrorCode.storeUnavailable`. All families that could be revoked then are; do it again.
  public func revoke(
    _ selection: FamilySelection, _ reason: LogoutReason, keeping kept: RefreshTokenFamily.ID? = nil
  ) async throws(OpenIDError) {
    var failure: OpenIDError?
    // Those that stay in the list: the one that is kept, and those that can't be revoked.
    var left: Set<[UInt8]> = kept.map { [$0.octets] } ?? []
    // There may always be another login; those that begin from now on are not meant.
    var end = clock.now.advanced(by: RotationPolicy.clockSkew)
    var isByDate = false
    if case .createdBefore(let date) = selection { (end, isByDate) = (date, true) }
    while true {
      let limit = left.count + Self.pageCount
      let found = try await OpenIDError.askingStore { try await families.active(selection, limit: limit) }
      // No machine dates a login so that begins now: this one began before a clock was set back.
      let latest = clock.now.advanced(by: RotationPolicy.clockSkew)
      let due = found.filter { record in
        let isMeant = record.createdAt < end || (!isByDate && record.createdAt >= latest)
        return isMeant && !left.contains(record.key)
      }
      guard !due.isEmpty else { break }
      for record in due {
        do throws(OpenIDError) {
          let family = try RefreshTokenFamilyRecords.family(in: record)
          if family.status != .active { left.insert(record.key) }
          try await revoke(family.id, reason, known: family)
        } catch {
          // One that can't be read, say. The others may be a thief's, and end nevertheless.
          failure = OpenIDError(.storeUnavailable, "the store failed")
          left.insert(record.key)
        }
      }
    }
    if let failure { throw failure }
  }

  /// How many families are looked at together.
  private static let pageCount = 256

  /// Ends the logins of a session that has ended, but those that outlive it.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`. All families that could be revoked then are; do it again.
  public func endSession(_ id: String) async throws(OpenIDError) {
    guard policy.offlineAccessOutlivesSession else { return try await revoke(.session(id), .sessionEnded) }
    for login in try await logins(.session(id), limit: .max) where !outlivesSession(login.grant) {
      try await revoke(login.family, .sessionEnded)
    }
  }

  /// Revokes one family. The first reason stays.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func revoke(_ id: RefreshTokenFamily.ID, _ reason: LogoutReason) async throws(OpenIDError) {
    try await revoke(id, reason, known: nil)
  }

  func revoke(
    _ id: RefreshTokenFamily.ID, _ reason: LogoutReason, known: RefreshTokenFamily?
  ) async throws(OpenIDError) {
    var known = known
    for _ in 0..<32 {
      let stored: RefreshTokenFamily? =
        if let known { known } else { try await OpenIDError.askingStore { try await families.family(id) } }
      guard let family = stored, family.status == .active else { return }
      var revoked = family
      revoked.status = .revoked(reason, at: clock.now)
      if try await OpenIDError.askingStore({ [revoked] in try await families.replace(with: revoked) }) {
        await emit(.revoked(reason), revoked)
        return
      }
      known = nil
    }
    throw OpenIDError(.storeUnavailable, "too many writes to one family at once")
  }

  /// The logins whose refresh tokens are honoured, the oldest first.
  ///
  /// A login that has expired is among them until a token of it is redeemed, or another login of its user begins. One
  /// that can't be read is not: its tokens are refused.
  ///
  /// - Parameters:
  ///   - selection: which logins.
  ///   - limit: how many at most.
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func logins(
    _ selection: FamilySelection, limit: Int = 1000
  ) async throws(OpenIDError) -> [RefreshedGrant] {
    let found = try await OpenIDError.askingStore { try await families.active(selection, limit: limit) }
    return found.compactMap { try? RefreshTokenFamilyRecords.family(in: $0) }.filter { family in
      if case .createdBefore(let date) = selection { family.createdAt < date } else { true }
    }.map {
      refreshedGrant($0, generation: $0.generation, scope: $0.grant.scope, resources: $0.grant.resources)
    }
  }

  /// Revokes the oldest logins of a user with a client beyond the number that is allowed, but neither the one that has
  /// just begun nor those that come after it: of logins that begin at once, each would end the others. If this
  /// machine's clock is behind another's, there is one too many until the next login.
  private func revokeOverflow(
    _ grant: RefreshGrant, sparing new: RefreshTokenFamily.ID
  ) async throws(OpenIDError) {
    // More than are allowed: some have expired, and some can't be read. No login waits for the latter.
    let found = try await OpenIDError.askingStore {
      try await families.active(
        .subjectAndClient(grant.subject, grant.clientID),
        limit: policy.maximumFamiliesPerUserAndClient + Self.pageCount)
    }
    let now = clock.now
    var active: [RefreshTokenFamily] = []
    for family in found.compactMap({ try? RefreshTokenFamilyRecords.family(in: $0) }) {
      if isExpired(family, at: now) {
        try await revoke(family.id, .expired, known: family)
      } else {
        active.append(family)
      }
    }
    for family in active.dropLast(policy.maximumFamiliesPerUserAndClient).prefix(while: { $0.id != new }) {
      try await revoke(family.id, .tooManyLogins, known: family)
    }
  }
}
