import JOSE
import StrictJSON

/// The `error` of an OAuth error response.
public struct OAuthErrorCode: Sendable, Hashable, CustomStringConvertible {
  /// The registered name, or whatever a server sent: at most 64 characters that RFC 6749 allows there.
  public let description: String

  /// A code.
  ///
  /// Text that RFC 6749 §5.2 forbids, or longer than 64 characters, becomes `invalid_error_code`.
  public init(_ name: String) {
    let isLegal = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(\.mayStandInErrorText)
    description = isLegal ? name : "invalid_error_code"
  }

  /// Credential unknown, expired, revoked, exhausted, or not bound.
  public static let invalidGrant = OAuthErrorCode("invalid_grant")
  /// Malformed request; under RFC 8693 also an unacceptable subject or actor token.
  public static let invalidRequest = OAuthErrorCode("invalid_request")
  /// Not registered for the token endpoint, but used by the SDK profile: the ID token is expired or invalid.
  package static let invalidToken = OAuthErrorCode("invalid_token")
  /// The apps may not share a login; the user has refused to log in a device.
  package static let accessDenied = OAuthErrorCode("access_denied")
  /// The audience or resource is not one that tokens are issued for.
  package static let invalidTarget = OAuthErrorCode("invalid_target")
  /// The user must consent or authenticate anew.
  package static let interactionRequired = OAuthErrorCode("interaction_required")
  /// A scope is unknown or not allowed.
  public static let invalidScope = OAuthErrorCode("invalid_scope")
  /// The client may not use this grant.
  public static let unauthorizedClient = OAuthErrorCode("unauthorized_client")
  /// The grant, or the feature, is off.
  public static let unsupportedGrantType = OAuthErrorCode("unsupported_grant_type")
  /// Client authentication failed.
  public static let invalidClient = OAuthErrorCode("invalid_client")
  /// The user has not answered yet: the device asks again.
  package static let authorizationPending = OAuthErrorCode("authorization_pending")
  /// The device code is good no more.
  package static let expiredToken = OAuthErrorCode("expired_token")
  /// Too many attempts; a device has to ask less often from now on.
  package static let slowDown = OAuthErrorCode("slow_down")
  /// The DPoP proof is wrong.
  public static let invalidDPoPProof = OAuthErrorCode("invalid_dpop_proof")
  /// A DPoP proof needs the server's nonce.
  public static let useDPoPNonce = OAuthErrorCode("use_dpop_nonce")
  /// A fault of the server.
  public static let serverError = OAuthErrorCode("server_error")
  /// The server is busy.
  public static let temporarilyUnavailable = OAuthErrorCode("temporarily_unavailable")
}

extension OAuthErrorCode: CustomDebugStringConvertible {
  /// The name, if it is registered: a server may have sent anything as a code, what it was sent itself
  /// included.
  public var debugDescription: String { OAuthErrorName.registered(description) ?? "another code" }
}

extension UInt8 {
  /// Printable ASCII without `"` and `\` (RFC 6749 §5.2).
  var mayStandInErrorText: Bool { (0x20...0x7E).contains(self) && self != 0x22 && self != 0x5C }
}
