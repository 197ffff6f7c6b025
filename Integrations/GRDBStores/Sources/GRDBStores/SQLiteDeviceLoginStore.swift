import Foundation
import GRDB
import JOSE
import PlatformSSOKit
import PureCrypto

extension ProviderDatabase {
  /// The Macs of Platform SSO.
  public var devices: DeviceRegistry { DeviceRegistry(records: records, clock: clock) }

  /// What Platform SSO keeps for the users of each device.
  public var deviceLogins: SQLiteDeviceLoginStore { SQLiteDeviceLoginStore(database: self) }
}

/// What a provider of Platform SSO keeps for each user of each device, in SQLite: the user's key, refresh tokens, the
/// unlock key, and the codes of logins by a browser. An `IdentityProviderStore` answers most of its questions from it,
/// and the rest from its users.
///
/// It belongs to a registration of a device, a record of the same file: when the device is removed or registered anew,
/// all of it goes in the same transaction, and what is asked for with a device from before is refused. Of tokens and
/// codes there are hashes; unlock keys are encrypted by the provider's `KeyContexts`.
///
/// What the operations throw is `DatabaseError`, or `PlatformSSOError` for a key that can't be read.
public struct SQLiteDeviceLoginStore: Sendable {
  let database: ProviderDatabase

  // MARK: Users' keys

  /// Enrols a user's key, in place of the user's former one on the device. False if the device is not registered any
  /// more.
  ///
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func enrol(_ key: RegisteredKey, of userName: String, on device: RegisteredDevice) async throws -> Bool {
    let now = database.clock.now
    return try await database.write { database in
      guard let number = try Self.number(device, in: database) else { return false }
      try database.execute(
        sql: "INSERT OR REPLACE INTO deviceUserKeys (device, user, keyID, point, enrolledAt) VALUES (?, ?, ?, ?, ?)",
        arguments: [
          number, userName.octets, Data(key.keyID.octets), Data(key.x963Representation), now.secondsSince1970,
        ])
      return true
    }
  }

  /// The user's key with an identifier that was enrolled on this very device.
  ///
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func userKey(
    _ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice
  ) async throws -> RegisteredKey? {
    try await database.read { database in
      guard let number = try Self.number(device, in: database) else { return nil }
      let point = try Data.fetchOne(
        database, sql: "SELECT point FROM deviceUserKeys WHERE device = ? AND user = ? AND keyID = ?",
        arguments: [number, userName.octets, Data(keyID.octets)])
      return try point.map { try RegisteredKey(x963Representation: $0) }
    }
  }

  // MARK: Refresh tokens

  /// A new refresh token of 256 random bits, after which the user's former ones on the device count as replaced. Nil if
  /// the device is not registered any more.
  ///
  /// - Parameters:
  ///   - userName: whose it is.
  ///   - device: as the registry gave it for the request that is answered.
  ///   - lifetime: in seconds.
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func makeRefreshToken(
    for userName: String, on device: RegisteredDevice, lifetime: Double
  ) async throws -> String? {
    let (token, now) = (Self.random(), database.clock.now.secondsSince1970)
    let isKept = try await database.write { database in
      guard let number = try Self.number(device, in: database) else { return false }
      try database.execute(
        sql: "UPDATE deviceRefreshTokens SET replacedAt = ? WHERE device = ? AND user = ? AND replacedAt IS NULL",
        arguments: [now, number, userName.octets])
      try database.execute(
        sql: "INSERT INTO deviceRefreshTokens (hash, device, user, issuedAt, expiresAt) VALUES (?, ?, ?, ?, ?)",
        arguments: [Self.hash(token), number, userName.octets, now, now + lifetime])
      return true
    }
    return isKept ? token : nil
  }

  /// To whom a refresh token was given. One that was replaced is known for an hour more: for how long it is still good
  /// is the provider's configuration to say.
  ///
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func refreshTokenGrant(_ refreshToken: String) async throws -> RefreshTokenGrant? {
    try await database.read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT device, user, expiresAt, replacedAt FROM deviceRefreshTokens WHERE hash = ?")
      guard let row = try Row.fetchOne(statement, arguments: [Self.hash(refreshToken)]),
        let device = try Self.device(number: row[0], in: database)
      else { return nil }
      let (user, expiresAt, replacedAt): (Data, Double, Double?) = (row[1], row[2], row[3])
      return RefreshTokenGrant(
        userName: String(decoding: user, as: UTF8.self), deviceID: device.id, tenant: device.tenant,
        expiration: NumericDate(secondsSince1970: expiresAt), isCurrent: replacedAt == nil,
        replacedAt: replacedAt.flatMap { NumericDate(secondsSince1970: $0) })
    }
  }

  // MARK: Unlock keys

  /// The unlock key of a user on a device: made when it is asked for first, and the same ever after, since a new one
  /// would orphan what the Mac has wrapped. Nil if the device is not registered any more.
  ///
  /// - Parameters:
  ///   - userName: whose it is.
  ///   - device: as the registry gave it for the request that is answered.
  ///   - contexts: encrypt it.
  /// - Throws: see ``SQLiteDeviceLoginStore``; `PlatformSSOError` with the code `keyContextInvalid` if it was encrypted
  ///   with another secret.
  public func unlockKey(
    of userName: String, on device: RegisteredDevice, sealedBy contexts: KeyContexts
  ) async throws -> UnlockKey? {
    let sealed: String? = try await database.write { database in
      guard let number = try Self.number(device, in: database) else { return nil }
      let known = try Data.fetchOne(
        database, sql: "SELECT sealed FROM deviceUnlockKeys WHERE device = ? AND user = ?",
        arguments: [number, userName.octets])
      if let known { return String(decoding: known, as: UTF8.self) }
      let fresh = try contexts.seal(.generate(), userName: userName, deviceID: device.id, tenant: device.tenant)
      try database.execute(
        sql: "INSERT INTO deviceUnlockKeys (device, user, sealed) VALUES (?, ?, ?)",
        arguments: [number, userName.octets, fresh.octets])
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
  ///   - device: whose request it answers.
  ///   - state: the request's.
  ///   - lifetime: in seconds.
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func makeAuthorizationCode(
    for userName: String, on device: RegisteredDevice, state: String, lifetime: Double = 300
  ) async throws -> String? {
    let (code, expiresAt) = (Self.random(), database.clock.now.secondsSince1970 + lifetime)
    let isKept = try await database.write { database in
      guard let number = try Self.number(device, in: database) else { return false }
      try database.execute(
        sql: "INSERT INTO deviceCodes (hash, device, user, state, expiresAt) VALUES (?, ?, ?, ?, ?)",
        arguments: [Self.hash(code), number, userName.octets, state.octets, expiresAt])
      return true
    }
    return isKept ? code : nil
  }

  /// Uses up a code, whatever comes of it. False if it is unknown, too old or used, or was given to another user,
  /// device or `state`.
  ///
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) async throws -> Bool {
    let now = database.clock.now.secondsSince1970
    return try await database.write { database in
      let row = try Row.fetchOne(
        database, sql: "DELETE FROM deviceCodes WHERE hash = ? RETURNING device, user, state, expiresAt",
        arguments: [Self.hash(callback.code)])
      guard let row, let number = try Self.number(device, in: database) else { return false }
      let (owner, user, state, expiresAt): (Int64, Data, Data, Double) = (row[0], row[1], row[2], row[3])
      return owner == number && user == userName.octets && state == callback.state?.octets && now < expiresAt
    }
  }

  // MARK: Ends

  /// Ends a user's logins: refresh tokens and codes. Unlock keys stay: what a Mac has wrapped is needed at the next
  /// login.
  ///
  /// - Parameters:
  ///   - userName: whose.
  ///   - device: on which device; nil for all.
  ///   - removesUserKeys: whether the user's keys are withdrawn as well, so that the next login needs another
  ///     credential.
  /// - Returns: how many refresh tokens and keys there were.
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  @discardableResult
  public func endLogins(
    of userName: String, on device: RegisteredDevice? = nil, removesUserKeys: Bool = false
  ) async throws -> Int {
    try await database.write { database in
      let number = try device.map { try Self.number($0, in: database) ?? -1 }
      let tables = ["deviceRefreshTokens", "deviceCodes"] + (removesUserKeys ? ["deviceUserKeys"] : [])
      var count = 0
      for table in tables {
        try database.execute(
          sql: "DELETE FROM \(table) WHERE user = ?1 AND (?2 IS NULL OR device = ?2)",
          arguments: [userName.octets, number])
        count += table == "deviceCodes" ? 0 : database.changesCount
      }
      return count
    }
  }

  /// Forgets a user who is removed: refresh tokens, codes, and keys on all devices.
  ///
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func forget(userName: String) async throws {
    try await database.write { database in
      for table in ["deviceRefreshTokens", "deviceCodes", "deviceUserKeys", "deviceUnlockKeys"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE user = ?", arguments: [userName.octets])
      }
    }
  }

  // MARK: Devices' logins, for administrators

  /// A user who is logged in on a device.
  public struct Login: Sendable, Hashable {
    /// The user.
    public let userName: String
    /// When the user's tokens were renewed last.
    public let renewedAt: NumericDate
    /// When they expire.
    public let expiration: NumericDate
  }

  /// Who is logged in on a device: users with a refresh token that is the last one given and has not expired.
  ///
  /// - Throws: see ``SQLiteDeviceLoginStore``.
  public func logins(on device: RegisteredDevice) async throws -> [Login] {
    let now = database.clock.now.secondsSince1970
    return try await database.read { database in
      guard let number = try Self.number(device, in: database) else { return [] }
      return try Row.fetchAll(
        database,
        sql: """
          SELECT user, issuedAt, expiresAt FROM deviceRefreshTokens
          WHERE device = ? AND replacedAt IS NULL AND expiresAt > ? ORDER BY issuedAt DESC, user
          """, arguments: [number, now]
      ).compactMap { row in
        let (user, issuedAt, expiresAt): (Data, Double, Double) = (row[0], row[1], row[2])
        guard let renewed = NumericDate(secondsSince1970: issuedAt), let end = NumericDate(secondsSince1970: expiresAt)
        else { return nil }
        return Login(userName: String(decoding: user, as: UTF8.self), renewedAt: renewed, expiration: end)
      }
    }
  }

  /// The row of the registration that a device's value is from: it has one of its signing keys.
  private static func number(_ device: RegisteredDevice, in database: Database) throws -> Int64? {
    for keyID in [device.signingKey.keyID] + (device.otherSigningKey.map { [$0.keyID] } ?? []) {
      let statement = try database.cachedStatement(
        sql: "SELECT record FROM recordIndexes WHERE kind = 'device' AND name = ? AND value = ?")
      if let number = try Int64.fetchOne(statement, arguments: ["signing-key".octets, Data(keyID.octets)]) {
        return number
      }
    }
    return nil
  }

  private static func device(number: Int64, in database: Database) throws -> RegisteredDevice? {
    let statement = try database.cachedStatement(sql: "SELECT document FROM records WHERE number = ?")
    let document = try Data.fetchOne(statement, arguments: [number])
    return try document.map { try JSONDecoder().decode(RegisteredDevice.self, from: $0) }
  }

  private static func random() -> String { SecretBytes.random(count: 32).withUnsafeBytes { Base64URL.encode($0) } }

  private static func hash(_ text: String) -> Data { Data(SHA2.SHA256.hash(Array(text.utf8))) }
}
