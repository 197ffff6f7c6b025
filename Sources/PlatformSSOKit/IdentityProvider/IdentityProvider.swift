import JOSE
import StrictJSON

/// An identity provider's side of Platform SSO: checks the requests that Macs send, and makes the responses.
///
/// Nothing here opens a socket. Each method takes the HTTP request that came, asks the ``CredentialDirectory`` and the
/// ``records`` what it must know, and returns the checked message or the HTTP response to send.
///
/// ```swift
/// let nonceResponse = try provider.serverNonceResponse(to: request)
///
/// let refresh = try await provider.refreshRequest(from: request)
/// let newToken = try await provider.logins.makeRefreshToken(for: refresh.userName, on: refresh.request.device)
/// let token = try provider.idToken(for: refresh, subject: user.id)
/// return try provider.loginResponse(
///   to: refresh, LoginResponse(idToken: token, refreshToken: newToken, refreshTokenExpiresIn: .seconds(28_800)))
/// ```
///
/// `id_token` is signed with ES256 or RS256, which are all that a Mac takes.
///
/// Every method throws `JOSEError`; ``errorResponse(for:)`` turns it into what a Mac understands.
public struct IdentityProvider: Sendable {
  /// Names, addresses and rules.
  public var configuration: IdentityProviderConfiguration

  /// Makes and checks server nonces.
  package var serverNonces: ServerNonces

  /// What the app knows of its users.
  package var users: any CredentialDirectory

  /// The key that signs `id_token`, for ES256 or RS256. Its public half is in the provider's key set.
  public var idTokenKey: SigningKey

  /// The tenant whose devices are served. Devices of other tenants, and those of none, are unknown; nil serves those of
  /// none.
  public var tenant: String?

  /// Devices, logins, codes, and the nonces that were used.
  public var records: any RecordStore

  /// Where "now" comes from.
  public var clock: WallClock

  /// The keys of devices that asked lately, with the tables that make the next request cheaper: 1 MiB at most. Which
  /// device has a key is read from the records each time.
  let preparedKeys = RecentlyUsed<KeyIdentifier, VerificationKey>(capacity: 16)

  /// The devices among the ``records``.
  public var devices: DeviceRegistry { DeviceRegistry(records: records, clock: clock) }

  /// What users hold on their devices, among the ``records``.
  public var logins: DeviceLoginService { DeviceLoginService(records: records, tenant: tenant, clock: clock) }

  /// An identity provider.
  ///
  /// - Parameters:
  ///   - configuration: names, addresses and rules; every machine has the same.
  ///   - serverNonces: with the same secret on all machines that answer for one provider.
  ///   - users: what the app knows of its users. Its errors become `ErrorCode.storeUnavailable`.
  ///   - idTokenKey: signs `id_token`, for ES256 or RS256. Devices verify with its public half, so that must stand in
  ///     the provider's key set.
  ///   - tenant: whose devices are served.
  ///   - records: shared by these machines too.
  ///   - clock: dates what is issued, and judges what has expired.
  /// - Throws: `ErrorCode.keyMismatch` for a key of another algorithm: no Mac would take what it signs.
  public init(
    configuration: IdentityProviderConfiguration, serverNonces: ServerNonces = ServerNonces(),
    users: any CredentialDirectory, idTokenKey: SigningKey, tenant: String? = nil, records: any RecordStore,
    clock: WallClock = .system
  ) throws(JOSEError) {
    try Self.requireSuitable(idTokenKey)
    (self.configuration, self.serverNonces, self.records) = (configuration, serverNonces, records)
    (self.users, self.idTokenKey, self.tenant, self.clock) = (users, idTokenKey, tenant, clock)
  }

  /// Requires that Macs take what a key signs.
  ///
  /// Source: Apple, Processing the JSON Web Encryption (JWE) login response.
  static func requireSuitable(_ idTokenKey: SigningKey) throws(JOSEError) {
    guard SigningRules.idToken.contains(idTokenKey.algorithm) else {
      throw JOSEError(
        .keyMismatch, "an id_token is signed with ES256 or RS256", name: "idTokenKey", fault: .callerMisuse)
    }
  }
}

extension IdentityProvider {
  /// Answers a request for a server nonce, without a database.
  ///
  /// Source: Apple, Obtaining a server nonce.
  package func serverNonceResponse(to request: HTTPRequestValue) throws(JOSEError) -> HTTPResponseValue {
    try serverNonceResponse(in: PostedForm(request, configuration: configuration))
  }

  func serverNonceResponse(in form: PostedForm) throws(JOSEError) -> HTTPResponseValue {
    let clientRequestID = try PostedForm.clientRequestID(form.request, rule: configuration.clientRequestID)
    try configuration.requiredHTTPHeaders.check(form.request)
    try form.require("grant_type", oneOf: [GrantType.serverChallenge])
    let nonce = serverNonces.make(at: clock.now, boundTo: nonceBinding(clientRequestID))
    return .json(200, [configuration.nonceResponseMember: .string(nonce)])
  }

  /// What a server nonce is bound to: nothing, or the client request.
  func nonceBinding(_ clientRequestID: String) -> String {
    configuration.clientRequestID == .boundToServerNonce ? clientRequestID : ""
  }

  /// Requires that a server nonce is this provider's, fresh, and given to what it comes from. It is not used up yet.
  func checkedServerNonce(_ nonce: String, boundTo binding: String) throws(JOSEError) -> UsedOnce.Name {
    UsedOnce.Name([nonce], expiry: try serverNonces.check(nonce, at: clock.now, boundTo: binding))
  }

  /// The name of a device's own nonce, as long as the request could still be accepted.
  func clientNonceName(_ nonce: String, of key: RegisteredKey, expiration: NumericDate) -> UsedOnce.Name {
    UsedOnce.Name([Base64URL.encode(key.keyID.octets), nonce], expiry: expiration)
  }

  /// Requires that both nonces are unused, and uses them up in one commit, which a store on disk has to write through.
  ///
  /// - Parameters:
  ///   - server: the server's, which is used up also if the device's was used before.
  ///   - client: the device's; nil where there is none, or any will do.
  func useNonces(server: UsedOnce.Name, client: UsedOnce.Name? = nil) async throws(JOSEError) {
    var names: [(kind: StaticString, name: UsedOnce.Name)] = [("server-nonce", server)]
    if let client { names.append(("client-nonce", client)) }
    guard var used = try await firstUsed(names) else { return }
    // The commit was refused as a whole.
    if used != 0, try await firstUsed([("server-nonce", server)]) != nil { used = 0 }
    guard used != 0 else {
      throw JOSEError(.serverNonceReplayed, "the server nonce was used before", name: "request_nonce")
    }
    throw JOSEError(.clientNonceReplayed, "the device used the nonce before", name: "nonce")
  }

  /// Requires that no device has used the nonce to which an encrypted password is bound. A password outlives every
  /// request, so that the nonce is kept for ten years: a store that keeps nonces in memory alone must not take it for
  /// one of them, hence the kind.
  ///
  /// It is noted before the password is looked at, so that each device has a quota: none can fill the store.
  ///
  /// - Parameter key: the device's that signed the request.
  /// - Throws: `ErrorCode.clientNonceReplayed`, `ErrorCode.replayQuotaReached`, `ErrorCode.storeUnavailable`.
  func useAssertion(nonce: [UInt8], sentBy key: RegisteredKey) async throws(JOSEError) {
    let now = clock.now
    let name = UsedOnce.Name(
      [Base64URL.encode(nonce)], maker: Base64URL.encode(key.keyID.octets),
      expiry: now.advanced(by: .seconds(315_360_000)))
    let used = UsedOnce(records, kind: "used-assertion")
    switch try await JOSEError.askingStore({ try await used.note(name, now: now) }) {
    case .new: return
    case .seen: throw JOSEError(.clientNonceReplayed, "the encrypted password was used before", name: "nonce")
    case .quotaReached:
      throw JOSEError(.replayQuotaReached, "the device has sent too many encrypted passwords", name: "assertion")
    }
  }

  /// Notes nonces of some kinds, all or none. Registered devices and the provider itself make them, and they last as
  /// long as a request does, so there is no quota.
  ///
  /// - Returns: the number of the first one that was noted before; nil if all were new.
  private func firstUsed(_ names: [(kind: StaticString, name: UsedOnce.Name)]) async throws(JOSEError) -> Int? {
    let now = clock.now
    let uses = names.map { (kind: UsedOnce(records, kind: $0.kind), name: $0.name) }
    return try await JOSEError.askingStore { try await UsedOnce.note(uses, now: now)?.number }
  }
}

extension IdentityProvider {
  /// Answers whatever a Mac sends, at one address or at several: server nonces, logins of every method, refreshes, key
  /// requests and key exchanges, preauthentication, and the page of a login by a browser. Registration has no form that
  /// Apple defines: see ``DeviceRegistration``.
  ///
  /// ```swift
  /// do {
  ///   return try await provider.response(to: request, with: answers)
  /// } catch {
  ///   log("\(error)")
  ///   return provider.errorResponse(for: error)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - request: as it came; nothing of it has been looked at.
  ///   - answers: tokens, keys and pages, asked for once the request has been checked.
  /// - Throws: `JOSEError`, each fault with a code of its own. ``errorResponse(for:)`` makes of it what a Mac
  ///   understands.
  public func response(
    to request: HTTPRequestValue, with answers: some IdentityProviderAnswers
  ) async throws(JOSEError) -> HTTPResponseValue {
    try await CheckedRequestAnswering(provider: self, answers: answers).response(to: request)
  }

  /// What a Mac understands of an error: 401 makes it ask the user for the credential again, every other status makes
  /// it try later.
  ///
  /// So 401 stands for a wrong credential alone, 400 for every other fault of the request, 405, 413 and 415 for faults
  /// of its HTTP form, 503 for a store or key that can't be reached and 500 for a fault of the program. The body is
  /// OAuth's `{"error": …}`; it never says which check failed. A key of the user's that the provider doesn't know is
  /// 400 with `invalid_grant`: the device has no other, so that asking again would not help. An unknown smart card is
  /// 401, since the user may have another one. For an account that is locked, or a password that has expired or must be
  /// changed, which asking again would not help, it is 400 with a `suberror` that
  /// `isInvalidCredential` of ``ExtensionSettings`` may look at.
  public func errorResponse(for error: JOSEError) -> HTTPResponseValue {
    let (status, text) = Self.status(error)
    var detail: JSONObject = [:]
    // What is wrong with an account that the user has proved to be his own.
    switch error.code {
    case .accountLocked: detail["suberror"] = "account_locked"
    case .passwordExpired: detail["suberror"] = "password_expired"
    case .passwordChangeRequired: detail["suberror"] = "password_change_required"
    default: break
    }
    return .oauthError(status, text, detail)
  }

  private static func status(_ error: JOSEError) -> (Int, String) {
    switch error.code {
    case .methodNotAllowed: (405, "invalid_request")
    case .accountLocked, .passwordExpired, .passwordChangeRequired: (400, "invalid_grant")
    // A smart card is named by its certificate, and another may be put in.
    case .userKeyUnknown where error.name != "x5c": (400, "invalid_grant")
    case .contentTypeInvalid: (415, "invalid_request")
    case .registrationRefused: (403, "access_denied")
    case .deviceConflict, .attestedIdentifierMismatch: (409, "conflict")
    case .limitExceeded where error.name == "body": (413, "invalid_request")
    default:
      switch error.fault {
      case .credentialRejected: (401, "invalid_grant")
      case .malformedMessage: (400, "invalid_request")
      case .unsupported, .notAuthentic, .rejected, .loginEnded: (400, "invalid_request")
      case .unavailable: (503, "temporarily_unavailable")
      case .callerMisuse: (500, "server_error")
      }
    }
  }
}
