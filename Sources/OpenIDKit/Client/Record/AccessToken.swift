import PureCrypto
import JOSE

/// An access token, ready to be sent.
public struct AccessToken: Sendable {
  /// The token. Secret.
  public let value: String
  /// `token_type`: the scheme of the `Authorization` header that the token is sent with, `Bearer` or `DPoP`, as the
  /// provider wrote it; case doesn't matter (RFC 6749 §7.1).
  public let type: String
  /// What it is good for, if that is known: the scope that the last refresh brought, or the login's.
  public let scope: String?
  /// When it expires.
  public let expiration: NumericDate
  /// Of which login and which generation it is, so that a 401 can be judged.
  let loginID: WireName
  let generation: UInt64
}

extension AccessToken: Redacted {}
