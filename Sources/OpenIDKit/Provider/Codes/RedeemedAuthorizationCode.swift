import JOSE
import PureCrypto
import Synchronization

/// A code that its own client presents, for the first time, with all that goes with it: what tokens are to be made
/// from.
public struct RedeemedAuthorizationCode: Sendable {
  /// What the code stands for.
  public let grant: AuthorizationCodeGrant
  /// The resources of this access token: those that were asked for with the code, or all that were granted.
  public let resources: [String]
  let refreshTokens: RefreshTokenService?
  let effects: RedemptionEffects
  /// The code's own record.
  let key: [UInt8]

  /// Begins a login's family of refresh tokens. The commit that uses the code up puts it into the store, so that there
  /// is no family of a code that another request has used, or whose tokens could not be made.
  ///
  /// - Parameter grant: what is granted; nil for what the code stands for. Its ``RefreshGrant/grantID`` becomes the
  ///   code's, so that the family ends if the code comes again.
  /// - Returns: the first refresh token, and the grant to make an access token from. Neither is good before the
  ///   redemption has returned.
  /// - Throws: `ErrorCode.settingInvalid` if the service of codes has no refresh tokens, or the
  ///   redemption is over.
  public func issueRefreshToken(
    for grant: RefreshGrant? = nil
  ) throws(OpenIDError) -> (refreshToken: String, grant: RefreshedGrant) {
    guard let refreshTokens else {
      throw OpenIDError(.settingInvalid, "the code service was made without refresh tokens", name: "refreshTokens")
    }
    var named = grant ?? RefreshGrant(self.grant)
    named.grantID = self.grant.id
    let login = try refreshTokens.begin(named)
    guard effects.append(login) else {
      throw OpenIDError(.settingInvalid, "the redemption has already ended", name: "code")
    }
    return (login.refreshToken, login.grant)
  }

  /// Takes back a family that ``issueRefreshToken(for:)`` has begun, because the client will not get its token: the
  /// access token could not be made, say.
  public func withdraw(_ id: RefreshTokenFamily.ID) { effects.remove(id) }

  /// Takes back all that was to be written with the code, whose use alone is written then.
  package func withdrawAll() { effects.removeAll() }

  /// Makes further changes in the commit that uses the code up. If one of them can't be made any more, the answer is
  /// made anew.
  ///
  /// - Parameters:
  ///   - changes: of records in the store that has the code, see ``isKept(in:)``.
  ///   - deviceSecretID: the record of the device secret that they make: it ends if the code comes again, or the client
  ///     doesn't get the answer. Nil if they make none.
  ///   - afterwards: called once they were made. If it throws, so does the redemption: a ``OpenIDError`` as it
  ///     is, anything else as `invalidGrant`. Where it throws `ErrorCode.storeUnavailable`, that is only so if the
  ///     commit has not compared the session.
  package func commitAlso(
    _ changes: [RecordChange], making deviceSecretID: String? = nil,
    afterwards: @escaping @Sendable () async throws -> Void
  ) {
    effects.append(changes, making: deviceSecretID, afterwards)
  }

  /// Whether these records are those that have the code.
  ///
  /// - Throws: what the records throw.
  package func isKept(in records: any RecordStore) async throws -> Bool {
    try await records.record(AuthorizationCodeRecords.kind, key: key) != nil
  }
}

extension RedeemedAuthorizationCode: Redacted {}

/// What a redemption commits with the use of its code.
final class RedemptionEffects: Sendable {
  struct State: Sendable {
    var logins: [RefreshTokenService.BegunLogin] = []
    var changes: [RecordChange] = []
    var deviceSecretID: String?
    var afterwards: [@Sendable () async throws -> Void] = []
  }

  /// Nil once they were taken.
  private let state = Mutex<State?>(State())

  /// Adds a login. Returns false if the effects were taken.
  func append(_ login: RefreshTokenService.BegunLogin) -> Bool {
    state.withLock { state in
      state?.logins.append(login)
      return state != nil
    }
  }

  func append(
    _ changes: [RecordChange], making deviceSecretID: String?,
    _ afterwards: @escaping @Sendable () async throws -> Void
  ) {
    state.withLock { state in
      state?.changes += changes
      if let deviceSecretID { state?.deviceSecretID = deviceSecretID }
      state?.afterwards.append(afterwards)
    }
  }

  func remove(_ id: RefreshTokenFamily.ID) { state.withLock { $0?.logins.removeAll { $0.family.id == id } } }

  func removeAll() { state.withLock { state in if state != nil { state = State() } } }

  /// All effects. None is added any more.
  func take() -> State {
    state.withLock { state in
      defer { state = nil }
      return state ?? State()
    }
  }
}
