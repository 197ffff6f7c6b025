import JOSE

/// A `typ` of Platform SSO.
///
/// Received values are compared as media types: ASCII case and a leading `application/` do not matter.
public struct MessageType: Hashable, Sendable, CustomStringConvertible {
  /// The header value.
  public let name: String

  /// A `typ` of another name, for peers that write their own.
  public init(_ name: String) {
    self.name = name
  }

  /// Login request, signed.
  public static let loginRequest = MessageType("platformsso-login-request+jwt")
  /// Embedded assertion, signed.
  public static let loginAssertion = MessageType("platformsso-login-assertion+jwt")
  /// Embedded assertion, encrypted.
  public static let encryptedLoginAssertion = MessageType("platformsso-encrypted-login-assertion+jwt")
  /// Response to a login or refresh request, encrypted.
  public static let loginResponse = MessageType("platformsso-login-response+jwt")
  /// Refresh request, signed.
  public static let refreshRequest = MessageType("platformsso-refresh-request+jwt")
  /// Key request and key exchange request, signed.
  public static let keyRequest = MessageType("platformsso-key-request+jwt")
  /// Response to a key request or key exchange request, encrypted.
  public static let keyResponse = MessageType("platformsso-key-response+jwt")
  /// Authorization request of web-based authentication, signed.
  public static let authorizationRequest = MessageType("platformsso-authorization-request+jwt")
  /// What extensions built with the SDK of macOS 13 send, and extensions that override `typ` by a custom claim.
  public static let jwt = MessageType("JWT")

  /// The media type of a message of this kind.
  public var mediaType: String { "application/" + name }

  /// The header value.
  public var description: String { name }

  /// Whether a received `typ` means this type.
  public func matches(_ type: String) -> Bool {
    Self.folded(type).hasSameBytes(as: Self.folded(name))
  }

  private static func folded(_ type: String) -> String {
    let folded = type.asciiLowercased
    return folded.utf8.contains(0x2F) ? folded : "application/" + folded
  }

  /// Compares the header values as bytes.
  public static func == (lhs: MessageType, rhs: MessageType) -> Bool { lhs.name.hasSameBytes(as: rhs.name) }

  /// Hashes the header value.
  public func hash(into hasher: inout Hasher) { hasher.combine(Array(name.utf8)) }
}
