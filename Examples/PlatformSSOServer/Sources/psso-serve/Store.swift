import Foundation
import JOSE
import PlatformSSOKit
import PureCrypto

/// What the provider knows. Each change is on the disk before anybody is answered.
actor Store: IdentityProviderStore {
  /// The devices of the state, by their keys.
  private let registry = DeviceRegistry(records: MemoryRecordStore())
  private var state: State
  private let folder: StateFolder
  private let users: [Settings.User]
  /// Logins by a browser that have ended: their codes are good once, for a few minutes, in this process.
  private var codes: [String: BrowserLogin] = [:]

  struct BrowserLogin: Sendable {
    var userName: String
    var deviceID: String
    var state: String
    var expiration: NumericDate
  }

  init(folder: StateFolder, state: State, users: [Settings.User]) async throws {
    (self.folder, self.state, self.users) = (folder, state, users)
    for device in state.devices { _ = try await registry.save(device) }
  }

  private func change(_ body: (inout State) -> Void) throws {
    var next = state
    body(&next)
    try folder.save(next)
    state = next
  }

  // MARK: Devices

  func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice? {
    try await registry.device(signingKeyID: signingKeyID, tenant: nil)
  }

  func device(id: String) -> RegisteredDevice? { state.devices.first { $0.id == id } }

  func register(_ registration: DeviceRegistration) async throws -> RegisteredDevice {
    let device = try await registry.register(registration)
    try change { state in
      // With new keys, what the Mac had been given under the old ones is good no more.
      Self.forget(device.id, in: &state)
      state.devices.append(device)
    }
    return device
  }

  private static func forget(_ deviceID: String, in state: inout State) {
    state.devices.removeAll { $0.id == deviceID }
    state.userKeys.removeAll { $0.deviceID == deviceID }
    state.unlockKeys.removeAll { $0.deviceID == deviceID }
    state.grants = state.grants.filter { $0.value.deviceID != deviceID }
  }

  // MARK: Users

  func user(_ name: String) -> Settings.User? { users.first { $0.name.utf8.elementsEqual(name.utf8) } }

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    isPassword(password, of: userName) ? .accepted : .wrong
  }

  func isPassword(_ password: String, of userName: String) -> Bool {
    // The same work for a user who doesn't exist.
    let known = user(userName)
    let isRight = ConstantTime.equal(Array((known?.password ?? "").utf8), Array(password.utf8))
    return known != nil && isRight
  }

  /// A user who has been struck off the settings has keys here still.
  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    user(userName) == nil ? .locked : .accepted
  }

  func userKey(_ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice) -> RegisteredKey? {
    state.userKeys.first { $0.key.keyID == keyID && $0.userName == userName && $0.deviceID == device.id }?.key
  }

  func enrol(_ key: RegisteredKey, of userName: String, on device: RegisteredDevice) throws {
    try change { state in
      state.userKeys.removeAll { $0.userName == userName && $0.deviceID == device.id }
      state.userKeys.append(State.UserKey(userName: userName, deviceID: device.id, key: key))
    }
  }

  // MARK: Tokens and keys

  /// A new refresh token. The one before is replaced, and not withdrawn at once: the answer may get lost.
  func giveRefreshToken(to userName: String, on deviceID: String, at now: NumericDate) throws -> String {
    let token = SecretBytes.random(count: 32).withUnsafeBytes { Base64URL.encode($0) }
    try change { state in
      let second = now.wholeSeconds
      state.grants = state.grants.filter { _, grant in
        grant.expiration > second && (grant.replacedAt ?? second) > second - 600
      }
      for (name, grant) in state.grants
      where grant.replacedAt == nil && grant.userName == userName && grant.deviceID == deviceID {
        state.grants[name]?.replacedAt = second
      }
      state.grants[Self.digest(token)] = State.Grant(
        userName: userName, deviceID: deviceID, expiration: second + Self.refreshTokenLifetime)
    }
    return token
  }

  static let refreshTokenLifetime = 28_800

  func refreshTokenGrant(_ refreshToken: String) -> RefreshTokenGrant? {
    guard let grant = state.grants[Self.digest(refreshToken)], user(grant.userName) != nil else { return nil }
    return RefreshTokenGrant(
      userName: grant.userName, deviceID: grant.deviceID, expiration: NumericDate(grant.expiration),
      isCurrent: grant.replacedAt == nil, replacedAt: grant.replacedAt.map { NumericDate($0) })
  }

  /// The unlock key of a user on a device: always the same one, since a new one would orphan what the Mac has wrapped.
  func unlockKey(of userName: String, on deviceID: String) throws -> UnlockKey {
    if let known = state.unlockKeys.first(where: { $0.userName == userName && $0.deviceID == deviceID }) {
      return try UnlockKey(rawRepresentation: known.privateKey)
    }
    let key = UnlockKey.generate()
    let octets = key.rawRepresentation.withUnsafeBytes { Data($0) }
    try change {
      $0.unlockKeys.append(State.UnlockKeyRecord(userName: userName, deviceID: deviceID, privateKey: octets))
    }
    return key
  }

  // MARK: Logins by a browser

  func giveCode(_ login: BrowserLogin) -> String {
    let code = SecretBytes.random(count: 32).withUnsafeBytes { Base64URL.encode($0) }
    codes[code] = login
    return code
  }

  func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) -> Bool {
    let now = WallClock.system.now
    codes = codes.filter { $0.value.expiration > now }
    guard let login = codes.removeValue(forKey: callback.code) else { return false }
    return login.userName == userName && login.deviceID == device.id && login.state == callback.state
  }

  private static func digest(_ token: String) -> String {
    Base64URL.encode(Array(SHA2.SHA256.hash(Array(token.utf8))))
  }
}
