import JOSE
import PureCrypto
import StrictJSON

/// A provider's authorization codes: issues them, redeems each once for its own client, and notices one that comes
/// again.
///
/// ```swift
/// let code = try await codes.issue(AuthorizationCodeGrant(asked, subject: user, sessionID: session))
///
/// let request = try AuthorizationCodeRedemption(form: form, clientID: client.id, keyThumbprint: proof?.thumbprint)
/// let tokens = try await codes.redeem(request) { code in
///   let begun = try await refreshTokens.issue(RefreshGrant(code.grant))
///   return Tokens(access: try sign(code.grant), refresh: begun.refreshToken)
/// }
/// ```
///
/// A code that is presented again gives nothing, and ends what it gave, by the grant's name: the refresh tokens whose
/// families have it (``RefreshGrant/grantID``), and the access tokens. That also holds if it comes again while the
/// first ones are being made. The store keeps no code, only what is needed to recognise one.
///
/// Source: RFC 6749 §4.1.2, §4.1.3, §10.5; RFC 7636 §4.6; RFC 9449 §10; RFC 9700 §2.1.1, §4.5, §4.8.2; OpenID Connect
/// Core 1.0 §3.1.3.2.
public struct AuthorizationCodeService: Sendable {
  let store: AuthorizationCodeRecords
  let lifetime: Double
  let retention: Double
  let refreshTokens: RefreshTokenService?
  let revokedTokens: RevokedTokens?
  let clock: WallClock
  let random: RandomSource
  let onEvent: @Sendable (AuthorizationCodeEvent) -> Void

  /// A service.
  ///
  /// - Parameters:
  ///   - records: where codes wait, shared by all machines of the provider. The default serves one process and forgets.
  ///   - lifetime: for how many seconds a code is good. 1 to 600, default 60.
  ///   - retention: for how many seconds a code that was used is remembered, so that a second use is known for what it
  ///     is: at least as long as the access tokens live that it gives. `lifetime` to 31 536 000, default a day.
  ///   - refreshTokens: ends the refresh tokens that came of a code; nil if none do.
  ///   - revokedTokens: told of the grants whose access tokens end; nil if nobody asks about access tokens, which then
  ///     live on to their end.
  ///   - clock: tells when a code is good no more.
  ///   - onEvent: told what happens, for audit and alarms.
  /// - Throws: `ErrorCode.settingInvalid` with the parameter's name.
  public init(
    records: any RecordStore = MemoryRecordStore(), lifetime: Double = 60,
    retention: Double = 86_400, refreshTokens: RefreshTokenService?, revokedTokens: RevokedTokens?,
    clock: WallClock = .system, onEvent: @escaping @Sendable (AuthorizationCodeEvent) -> Void = { _ in }
  ) throws(TokenRefreshError) {
    for (name, isValid) in [
      ("lifetime", (1...600).contains(lifetime)),
      ("retention", retention >= lifetime && retention <= 31_536_000),
    ] where !isValid {
      throw TokenRefreshError(.settingInvalid, "a setting is out of range", name: name)
    }
    store = AuthorizationCodeRecords(records, clock: clock)
    (self.lifetime, self.retention, self.clock) = (lifetime, retention, clock)
    (self.refreshTokens, self.revokedTokens) = (refreshTokens, revokedTokens)
    self.onEvent = onEvent
    random = .system
  }

  /// Makes a code for what a login has granted. Secret: it goes to the client's redirect URI and nowhere else.
  ///
  /// - Returns: 43 characters of base64url.
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func issue(_ grant: AuthorizationCodeGrant) async throws(TokenRefreshError) -> String {
    let code = AuthorizationCodeText.make(random)
    let expiration = clock.now.advanced(by: lifetime)
    let record = AuthorizationCodeRecord(
      codeHash: AuthorizationCodeText.hash(of: code), version: 0, grant: grant, expiration: expiration, use: .unused,
      removableAt: expiration)
    guard try await askingStore({ try await store.insert(record) }) else {
      throw TokenRefreshError(.storeUnavailable, "the store refused a fresh name")
    }
    return code
  }

  /// Redeems a code: uses it up in one step, makes the tokens, and makes sure that it was not presented again
  /// meanwhile.
  ///
  /// A code that its own client presents is used up whatever comes of it. Another client's request leaves it as it was.
  /// - Parameters:
  ///   - request: from a client that has been authenticated, or identified if it is public.
  ///   - make: makes the tokens. The families of refresh tokens that it begins have the name of the code's grant, as
  ///     those of ``RefreshGrant/init(_:confirmation:authenticationTime:)`` do. What it returns must not have gone to
  ///     anybody yet.
  /// - Returns: what `make` returns.
  /// - Throws: `ErrorCode.invalidGrant` for every fault of the code and of the parameters that go with
  ///   it, and for a code that comes again, also while its tokens are made; `ErrorCode.invalidTarget` for
  ///   a resource that was not granted; `ErrorCode.storeUnavailable`; a ``TokenRefreshError`` of `make`, and
  ///   `ErrorCode.serverError` for whatever else it throws.
  public func redeem<Answer: Sendable>(
    _ request: AuthorizationCodeRedemption, make: (RedeemedAuthorizationCode) async throws -> Answer
  ) async throws(TokenRefreshError) -> Answer {
    guard request.code.utf8.count <= AuthorizationCodeText.maximumByteCount else { throw Self.invalidGrant }
    let record = try await use(AuthorizationCodeText.hash(of: request.code), request)
    let resources = request.resources.isEmpty ? record.grant.resources : request.resources
    let answer: Result<Answer, TokenRefreshError>
    do {
      answer = .success(try await make(RedeemedAuthorizationCode(grant: record.grant, resources: resources)))
    } catch let error as TokenRefreshError {
      answer = .failure(error)
    } catch {
      answer = .failure(TokenRefreshError(.serverError, "the answer could not be made; the code is used up"))
    }
    try await requireNotReused(record)
    if case .success = answer { emit(.redeemed, record) }
    return try answer.get()
  }

  // MARK: Steps

  /// Uses a code up: one compare-and-set decides who has it.
  private func use(
    _ hash: [UInt8], _ request: AuthorizationCodeRedemption
  ) async throws(TokenRefreshError) -> AuthorizationCodeRecord {
    // Each round that fails saw the code change its state, which it does twice.
    for _ in 0..<3 {
      guard let record = try await askingStore({ try await store.code(hash) }) else { throw Self.invalidGrant }
      guard record.grant.clientID.hasSameBytes(as: request.clientID) else {
        emit(.wrongClient, record)
        throw Self.invalidGrant
      }
      let now = clock.now
      var next = record
      next.removableAt = max(record.removableAt, now.advanced(by: retention))
      guard record.use == .unused else {
        next.use = .reused
        if record.use != .reused {
          guard try await askingStore({ try await store.replace(with: next) }) else { continue }
        }
        emit(.reused, record)
        try await end(record)
        throw Self.invalidGrant
      }
      guard now < record.expiration else { throw Self.invalidGrant }
      next.use = .used
      guard try await askingStore({ try await store.replace(with: next) }) else { continue }
      if let parameter = request.fault(against: record.grant) {
        emit(.refused(parameter: parameter), record)
        throw Self.invalidGrant
      }
      guard request.resources.allSatisfy(record.grant.resources.containsBytes) else {
        emit(.refused(parameter: "resource"), record)
        throw TokenRefreshError(.invalidTarget, "a resource is asked for that was not granted", name: "resource")
      }
      return next
    }
    throw TokenRefreshError(.storeUnavailable, "too many writes to one code at once")
  }

  /// Requires a code that was used not to have come again while its tokens were made: nobody has them yet, and whoever
  /// presents it from now on ends them. The other request may have come before there was anything to end.
  private func requireNotReused(_ record: AuthorizationCodeRecord) async throws(TokenRefreshError) {
    // A store that has lost the record could not know a second use either.
    if try await askingStore({ try await store.code(record.codeHash) })?.use == .used { return }
    try await end(record)
    throw Self.invalidGrant
  }

  /// Ends what a code gave.
  private func end(_ record: AuthorizationCodeRecord) async throws(TokenRefreshError) {
    var failure: TokenRefreshError?
    if let revokedTokens {
      // Another machine's clock may be a little ahead.
      let end = clock.now.advanced(by: retention + RotationPolicy.clockSkew)
      do throws(TokenRefreshError) {
        try await revokedTokens.revoke(.grant(record.grant.id), until: end)
      } catch {
        // The refresh tokens end nevertheless.
        failure = error
      }
    }
    do throws(TokenRefreshError) {
      try await refreshTokens?.revoke(.grant(record.grant.id), .reuse)
    } catch {
      failure = error
    }
    if let failure { throw failure }
  }

  private func emit(_ kind: AuthorizationCodeEvent.Kind, _ record: AuthorizationCodeRecord) {
    onEvent(
      AuthorizationCodeEvent(
        kind: kind, grantID: record.grant.id, clientID: record.grant.clientID, subject: record.grant.subject))
  }

  private func askingStore<Value: Sendable>(
    _ body: () async throws -> Value
  ) async throws(TokenRefreshError) -> Value {
    do {
      return try await body()
    } catch {
      throw TokenRefreshError(.storeUnavailable, "the store failed")
    }
  }

  /// The one text for every refusal of a code, so that its reason can't be told from outside.
  private static var invalidGrant: TokenRefreshError {
    TokenRefreshError(.invalidGrant, "the authorization code is not valid")
  }
}

/// A code that was presented by its own client, for the first time, with all that goes with it: what tokens are to be
/// made from.
public struct RedeemedAuthorizationCode: Sendable {
  /// What the code stands for.
  public let grant: AuthorizationCodeGrant
  /// The resources of this access token: those that were asked for with the code, or all that were granted.
  public let resources: [String]
}

extension RedeemedAuthorizationCode: Redacted {}
