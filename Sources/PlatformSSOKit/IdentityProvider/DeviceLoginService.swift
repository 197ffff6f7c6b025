import JOSE
import PureCrypto
import StrictJSON

/// What a provider keeps for each user of each registered device: refresh tokens, the user's key, the unlock key, and
/// the codes of logins by a browser. Records of a `RecordStore`, one for each user and registration.
///
/// All of it belongs to a registration: when the device is removed or registered anew, it goes in the same commit, and
/// a call with the device from before is refused. Of tokens and codes there are hashes; unlock keys are encrypted by
/// the provider's ``KeyContexts``. Names are compared as bytes.
///
/// The methods throw what the store throws, and `ErrorCode.storeUnavailable` for a record that can't be read.
public struct DeviceLoginService: Sendable {
  /// More than one user's devices, and more than one device's users.
  private static let limit = 10_000

  private let records: any RecordStore
  private let tenant: String?
  private let clock: WallClock
  private let codes: OneTimeRecords

  /// The logins of a tenant among some records.
  ///
  /// - Parameters:
  ///   - records: where the ``DeviceRegistry`` has its devices.
  ///   - tenant: whose devices and users these are. Devices of other tenants count as not registered.
  ///   - clock: dates tokens.
  public init(records: any RecordStore, tenant: String? = nil, clock: WallClock = .system) {
    (self.records, self.tenant, self.clock) = (records, tenant, clock)
    codes = OneTimeRecords(records, kind: DeviceCode.kind, clock: clock)
  }

  // MARK: Refresh tokens

  /// A user who is logged in on a device.
  public struct Login: Sendable, Hashable {
    /// The user's name, as the login request had it.
    public let userName: String
    /// The device that the user is logged in on, as it is registered now.
    public let device: RegisteredDevice
    /// When the user's tokens were renewed last.
    public let renewedAt: NumericDate
    /// When they expire.
    public let expiration: NumericDate
  }

  /// A new refresh token of 256 random bits, after which the user's former one on the device counts as replaced. Nil if
  /// the device, as the request names it, is not registered any more.
  ///
  /// - Throws: see ``DeviceLoginService``.
  public func makeRefreshToken(
    for userName: String, on device: RegisteredDevice, lifetime: Duration = .seconds(28_800)
  ) async throws -> String? {
    let token = Self.random()
    let expiration = clock.now.advanced(by: lifetime)
    return try await keepRefreshToken(token, of: userName, on: device, expiration: expiration) ? token : nil
  }

  /// Keeps a refresh token that was made elsewhere, as by a provider that this one follows, as the user's current one.
  /// False if the device is not registered any more.
  ///
  /// - Throws: see ``DeviceLoginService``.
  public func keepRefreshToken(
    _ token: String, of userName: String, on device: RegisteredDevice, expiration: NumericDate
  ) async throws -> Bool {
    let now = clock.now
    return try await update(userName, on: device) { login in
      login.replaceToken(by: Self.hash(token), expiration: expiration, now: now)
    } != nil
  }

  /// The login that a current refresh token was given for; nil for one that was replaced, has expired or is unknown.
  /// Such a token may stand for an access token, where an extension registers a user's key.
  ///
  /// - Throws: see ``DeviceLoginService``.
  public func login(refreshToken: String) async throws -> Login? {
    guard let (login, token) = try await known(refreshToken), token.replacedAt == nil else { return nil }
    return try await device(login).flatMap { active(login, $0) }
  }

  /// The users who are logged in on a device, the one whose tokens were renewed last first.
  ///
  /// - Throws: see ``DeviceLoginService``.
  public func logins(on device: RegisteredDevice) async throws -> [Login] {
    guard let registration = registration(device) else { return [] }
    let index = DeviceLoginRecord.index(registration)
    return try await records.records(DeviceLoginRecord.kind, where: index, limit: Self.limit)
      .compactMap { try active(DeviceLoginRecord($0), device) }.sorted { $0.renewedAt > $1.renewedAt }
  }

  /// What is kept of a refresh token: the login that it belongs to, and whether another one has replaced it.
  func known(
    _ refreshToken: String
  ) async throws -> (login: DeviceLoginRecord, token: DeviceLoginRecord.Token)? {
    let hash = Self.hash(refreshToken)
    let index = DeviceLoginRecord.index(token: hash)
    guard let record = try await records.records(DeviceLoginRecord.kind, where: index, limit: 1).first else {
      return nil
    }
    let (login, name) = (try DeviceLoginRecord(record), WireName(Base64URL.encode(hash)))
    return login.tokens.first { $0.hash == name }.map { (login, $0) }
  }

  private func active(_ login: DeviceLoginRecord, _ device: RegisteredDevice) -> Login? {
    guard let token = login.currentToken(at: clock.now) else { return nil }
    return Login(userName: login.userName, device: device, renewedAt: token.givenAt, expiration: token.expiresAt)
  }

  private func device(_ login: DeviceLoginRecord) async throws -> RegisteredDevice? {
    guard OptionalText(login.tenant) == OptionalText(tenant),
      let registration = try? Base64URL.decode(login.registration)
    else {
      return nil
    }
    return try await records.record(DeviceRecord.kind, key: registration).map { try DeviceRecord.device($0) }
  }

  // MARK: Keys

  /// Enrolls a user's key, in place of the user's former one on the device. False if the device is not registered any
  /// more.
  ///
  /// - Throws: see ``DeviceLoginService``.
  public func enroll(_ key: RegisteredKey, of userName: String, on device: RegisteredDevice) async throws -> Bool {
    try await update(userName, on: device) { $0.userKey = key } != nil
  }

  /// The user's key that was enrolled on this very device.
  ///
  /// - Throws: see ``DeviceLoginService``.
  public func userKey(of userName: String, on device: RegisteredDevice) async throws -> RegisteredKey? {
    guard let registration = registration(device) else { return nil }
    let key = DeviceLoginRecord.key(userName, registration)
    return try await records.record(DeviceLoginRecord.kind, key: key).flatMap { try DeviceLoginRecord($0).userKey }
  }

  /// The unlock key of a user on a device: made when it is asked for first, and the same ever after, since a new one
  /// would orphan what the Mac has wrapped. Nil if the device is not registered any more.
  ///
  /// - Parameters:
  ///   - userName: whose key it is.
  ///   - device: the one that the key unlocks.
  ///   - contexts: encrypt it.
  /// - Throws: see ``DeviceLoginService``; `ErrorCode.keyContextInvalid` if it was encrypted with another secret.
  public func unlockKey(
    of userName: String, on device: RegisteredDevice, sealedBy contexts: KeyContexts
  ) async throws -> UnlockKey? {
    let sealed = try await update(userName, on: device) { login in
      if let known = login.unlockKey { return known }
      let fresh = try contexts.seal(.generate(), userName: userName, deviceID: device.id, tenant: device.tenant)
      login.unlockKey = fresh
      return fresh
    }
    return try sealed.map {
      try contexts.open($0, userName: userName, deviceID: device.id, tenant: device.tenant)
    }
  }

  // MARK: Codes of logins by a browser

  /// A new code of 256 random bits for a user who has logged in by a device's browser. Nil if the device is not
  /// registered any more.
  ///
  /// - Parameters:
  ///   - userName: who has logged in.
  ///   - device: the device that sent the authorization request; nil for a page that no device signed a request for.
  ///     Then the code is good on any device of the tenant.
  ///   - state: the request's, which the callback repeats.
  ///   - scope: the request's ``AuthorizationRequest/authorizationScope``, or the one in the `scope` of a page's
  ///     address by ``AuthorizationScope/init(in:)``: the code is good for no other. Nil is a login.
  ///   - lifetime: how long the code is good.
  /// - Throws: see ``DeviceLoginService``.
  public func makeAuthorizationCode(
    for userName: String, on device: RegisteredDevice?, state: String?, scope: AuthorizationScope?,
    lifetime: Duration = .seconds(300)
  ) async throws -> String? {
    let code = Self.random()
    let isKept = try await keepAuthorizationCode(
      code, of: userName, on: device, state: state, scope: scope,
      expiration: clock.now.advanced(by: lifetime))
    return isKept ? code : nil
  }

  /// Keeps a code that was made elsewhere. False if the device is not registered, or the code is taken.
  package func keepAuthorizationCode(
    _ code: String, of userName: String, on device: RegisteredDevice?, state: String?, scope: AuthorizationScope?,
    expiration: NumericDate
  ) async throws -> Bool {
    var indexes = [DeviceLoginRecord.index(user: userName, tenant)]
    if let device {
      guard let registration = registration(device),
        try await records.record(DeviceRecord.kind, key: registration) != nil
      else { return false }
      indexes.append(DeviceLoginRecord.index(registration))
    }
    let bound = DeviceCode(
      userName: userName, tenant: tenant, registration: device?.registrationID, state: state, scope: scope)
    return try await codes.insert(
      StrictJSONEncoder().encode(bound), name: code, indexes: indexes, expiresAt: expiration)
  }

  /// Uses up a code, whatever comes of it. False if it is unknown, too old or used, or was given to another user,
  /// registration, `state` or scope.
  func redeem(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice, scope: AuthorizationScope?
  ) async throws -> Bool {
    guard let document = try await codes.take(callback.code), registration(device) != nil else { return false }
    guard let code = try? StrictJSONDecoder().decode(DeviceCode.self, from: document) else {
      throw JOSEError(.storeUnavailable, "the record of a code can't be read")
    }
    return code.isFor(
      DeviceCode(
        userName: userName, tenant: tenant, registration: device.registrationID, state: callback.state, scope: scope))
  }

  // MARK: Ends

  /// Ends a user's logins, refresh tokens and codes, on one device or all of the tenant's. Unlock keys stay: what a Mac
  /// has wrapped is needed at the next login.
  ///
  /// - Parameters:
  ///   - userName: whose logins end.
  ///   - device: where they end; nil for all devices of the tenant.
  ///   - removesUserKeys: whether the user's keys are withdrawn as well: the next login needs another credential.
  /// - Returns: how many refresh tokens and keys there were.
  /// - Throws: see ``DeviceLoginService``. What can be read has been ended nevertheless.
  @discardableResult
  public func endLogins(
    of userName: String, on device: RegisteredDevice? = nil, removesUserKeys: Bool = false
  ) async throws -> Int {
    let registration = device.flatMap(registration)
    if device != nil, registration == nil { return 0 }
    var (count, failure) = (0, JOSEError?.none)
    for record in try await held(by: userName, registration) {
      guard record.kind == DeviceLoginRecord.kind else {
        try await records.remove(record.kind, key: record.key)
        continue
      }
      do throws(JOSEError) {
        _ = try DeviceLoginRecord(record)
      } catch {
        failure = error
        continue
      }
      var ended = 0
      _ = try await records.update(record.kind, key: record.key) { stored in
        ended = 0
        guard let stored else { return [] }
        var login = try DeviceLoginRecord(stored)
        ended = login.tokens.count + (removesUserKeys && login.userKey != nil ? 1 : 0)
        login.tokens = []
        if removesUserKeys { login.userKey = nil }
        return [try change(stored, to: login)]
      }
      count += ended
    }
    if let failure { throw failure }
    return count
  }

  /// Forgets a user who is removed: refresh tokens, codes, and keys on all devices.
  ///
  /// - Throws: see ``DeviceLoginService``.
  public func forget(userName: String) async throws {
    for record in try await held(by: userName, nil) {
      try await records.remove(record.kind, key: record.key)
    }
  }

  /// What ends with a registration.
  static func removals(
    of registration: [UInt8], in records: any RecordStore
  ) async throws -> [RecordChange] {
    var removals: [RecordChange] = []
    for kind in [DeviceLoginRecord.kind, DeviceCode.kind] {
      let found = try await records.records(kind, where: DeviceLoginRecord.index(registration), limit: limit)
      removals += found.map { .remove(kind, key: $0.key, version: $0.version) }
    }
    return removals
  }

  /// The logins and codes of a user, on one device or all.
  private func held(by userName: String, _ registration: [UInt8]?) async throws -> [StoredRecord] {
    var held: [StoredRecord] = []
    for kind in [DeviceLoginRecord.kind, DeviceCode.kind] {
      held += try await records.records(
        kind, where: DeviceLoginRecord.index(user: userName, tenant), limit: Self.limit)
    }
    guard let registration else { return held }
    return held.filter { $0.indexes.contains(DeviceLoginRecord.index(registration)) }
  }

  // MARK: Records

  /// Changes what is kept for a user of a device. Nil, and nothing kept, if the device is not registered any more.
  private func update<Result: Sendable>(
    _ userName: String, on device: RegisteredDevice, _ body: (inout DeviceLoginRecord) throws -> Result
  ) async throws -> Result? {
    guard let name = device.registrationID, let registration = registration(device) else { return nil }
    var result: Result?
    let outcome = try await records.update(
      DeviceLoginRecord.kind, key: DeviceLoginRecord.key(userName, registration)
    ) { stored in
      result = nil
      guard var registered = try await records.record(DeviceRecord.kind, key: registration) else { return [] }
      let known = try stored.map { try DeviceLoginRecord($0) }
      var login = known ?? DeviceLoginRecord(userName, on: device, registration: name)
      result = try body(&login)
      if let stored { return login == known ? [] : [try change(stored, to: login)] }
      // The first login writes the device's record too: if the registration ends meanwhile, its end finds the login, or
      // the login finds the end.
      registered.attempt = SystemRandom.bytes(count: 16)
      return [.insert(try login.record(registration, version: 0, now: clock.now)), .replace(registered)]
    }
    guard outcome == .done else { throw JOSEError(.storeUnavailable, "the refresh token is in use by another request") }
    return result
  }

  private func change(_ stored: StoredRecord, to login: DeviceLoginRecord) throws -> RecordChange {
    guard !login.isEmpty, let registration = try? Base64URL.decode(login.registration) else {
      return .remove(stored.kind, key: stored.key, version: stored.version)
    }
    return .replace(try login.record(registration, version: stored.version, now: stored.createdAt))
  }

  /// The key of the record of a device's registration; nil for another tenant's device, and for one that no registry
  /// gave.
  private func registration(_ device: RegisteredDevice) -> [UInt8]? {
    guard OptionalText(device.tenant) == OptionalText(tenant) else { return nil }
    return device.registrationID.flatMap { try? Base64URL.decode($0) }
  }

  private static func random() -> String { Base64URL.encode(SecretBytes.random(count: 32)) }

  private static func hash(_ text: String) -> [UInt8] { Array(SHA2.SHA256.hash(Array(text.utf8))) }
}
