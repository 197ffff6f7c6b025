import JOSE

/// What an identity provider knows about devices, tokens and users: the one thing to write for a server.
///
/// An error thrown here becomes `ErrorCode.storeUnavailable`, which tells the Mac to try later. "Not
/// known" is nil or false, never an error.
public protocol IdentityProviderStore: Sendable {
  /// The device that is registered with a signing key. A provider that serves one tenant knows no other tenant's: ask
  /// ``DeviceRegistry/device(signingKeyID:tenant:)``.
  ///
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice?

  /// To whom a refresh token was given, or nil if it was not given to anybody or has been withdrawn.
  ///
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func refreshTokenGrant(_ refreshToken: String) async throws -> RefreshTokenGrant?

  /// Whether a password is the user's. Compare in constant time, best by a password hash.
  ///
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func isPassword(_ password: String, of userName: String, on device: RegisteredDevice) async throws -> Bool

  /// What is to be said of a password, for stores that know more than right and wrong: that an account is locked, or
  /// that its password has expired or must be changed. The default asks ``isPassword(_:of:on:)``.
  ///
  /// Say more than ``CredentialVerdict/wrong`` only where the password was right, or anybody learns which accounts
  /// there are.
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict

  /// What is to be said of a user's account, asked for each login, refresh and key request once the user is known: a
  /// password, a refresh token or a key that was good once says nothing of an account that has been locked or removed
  /// since. There is no default: a store that has no such accounts says ``CredentialVerdict/accepted`` itself.
  ///
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func accountVerdict(of userName: String, on device: RegisteredDevice) async throws -> CredentialVerdict

  /// The user's key with an identifier that was enrolled on this very device.
  ///
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func userKey(_ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice) async throws -> RegisteredKey?

  /// The key of a smart card whose certificates in DER came with the request, the card's first; nil for none that is
  /// the user's. It is for ES256, RS256, RS384 or RS512.
  ///
  /// Validating the path, the revocation and the mapping to the user is this method's task.
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) async throws -> VerificationKey?

  /// Uses up the code of a web-based login (macOS 27). Returns false if it is unknown, too old or used, or was given to
  /// another user, device or `state`.
  ///
  /// - Throws: anything, if the store can't say; see ``IdentityProviderStore``.
  func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) async throws -> Bool
}

extension IdentityProviderStore {
  /// No password is right.
  ///
  /// - Throws: nothing.
  public func isPassword(_ password: String, of userName: String, on device: RegisteredDevice) async throws -> Bool {
    false
  }

  /// Right or wrong, as ``isPassword(_:of:on:)`` says.
  ///
  /// - Throws: as that method.
  public func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    try await isPassword(password, of: userName, on: device) ? .accepted : .wrong
  }

  /// No user has a key.
  ///
  /// - Throws: nothing.
  public func userKey(
    _ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice
  ) async throws -> RegisteredKey? { nil }

  /// No code is known.
  ///
  /// - Throws: nothing.
  public func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) async throws -> Bool { false }

  /// No smart card is known.
  ///
  /// - Throws: nothing.
  public func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) async throws -> VerificationKey? { nil }
}

/// To whom a refresh token was given.
public struct RefreshTokenGrant: Sendable, Hashable {
  /// The user.
  public var userName: String
  /// The device: ``RegisteredDevice/id``.
  public var deviceID: String
  /// The device's tenant: ``RegisteredDevice/tenant``. Devices of two tenants may have one name.
  public var tenant: String?
  /// When the token expires; nil for never.
  public var expiration: NumericDate?
  /// Whether it is the last one given. False for a token that has been replaced.
  public var isCurrent: Bool
  /// When the token was replaced by its successor. A replaced one is good for
  /// ``IdentityProviderConfiguration/replacedRefreshTokenGrace`` from then on; if this is nil, not at all.
  public var replacedAt: NumericDate?

  /// A grant.
  public init(
    userName: String, deviceID: String, tenant: String? = nil, expiration: NumericDate?, isCurrent: Bool = true,
    replacedAt: NumericDate? = nil
  ) {
    (self.userName, self.deviceID, self.tenant) = (userName, deviceID, tenant)
    (self.expiration, self.isCurrent) = (expiration, isCurrent)
    self.replacedAt = replacedAt
  }
}
