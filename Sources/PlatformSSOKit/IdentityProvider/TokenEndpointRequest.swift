import PureCrypto

/// A login or a refresh that has been checked, the credential included. Answer it with
/// ``IdentityProvider/loginResponse(to:_:unlockKey:keyContext:)``.
public struct TokenEndpointRequest: Sendable {
  /// What all signed requests have in common, the device among it.
  public let request: VerifiedRequest

  /// The user, who has proved it now or, for a refresh, at the login.
  public let userName: String

  /// What proved it.
  public let credential: LoginCredential

  /// The scope asked for.
  public let scope: String

  /// What the tokens are for, if the scope says so (macOS 27).
  public let authorizationScope: AuthorizationScope?

  /// Groups whose membership a login asks for.
  public let requestedGroups: [String]

  /// The last refresh token, if the device sent it with a login. Not checked.
  public let previousRefreshToken: String?

  /// Of a login that asks for the shared secret with the user's unlock key as well (macOS 27): the other public key,
  /// which is on the curve, and the key context. Its refresh token is the previous one, or empty.
  public var unlock: KeyEndpointRequest?
}

/// What proved who the user is.
public enum LoginCredential: Sendable {
  /// The password, in the signed request.
  case password
  /// The password, encrypted for the provider.
  case encryptedPassword
  /// The user's key of this device.
  case userKey(RegisteredKey)
  /// A smart card: its certificates in DER as they came.
  case smartCard(certificates: [[UInt8]])
  /// The code that the browser came back with (macOS 27). It has been redeemed.
  case webAuthorization(AuthorizationCallback)
  /// The refresh token of this device, claim `refresh_token` of a refresh, and whether it is the last one given.
  /// Another one was replaced a moment ago.
  case refreshToken(isCurrent: Bool)
}

extension TokenEndpointRequest: Redacted {}
