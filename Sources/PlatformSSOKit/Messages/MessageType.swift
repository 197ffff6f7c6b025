import JOSE

/// A `typ` of Platform SSO.
///
/// Received values are compared as media types: ASCII case and a leading `application/` do not matter.
package struct MessageType: Sendable {
  /// The header value.
  package let name: String

  /// A `typ` of another name, for peers that write their own.
  package init(_ name: String) { self.name = name }

  /// Login request, signed.
  package static let loginRequest = MessageType("platformsso-login-request+jwt")
  /// Embedded assertion, signed.
  package static let loginAssertion = MessageType("platformsso-login-assertion+jwt")
  /// Embedded assertion, encrypted.
  package static let encryptedLoginAssertion = MessageType("platformsso-encrypted-login-assertion+jwt")
  /// Response to a login or refresh request, encrypted.
  package static let loginResponse = MessageType("platformsso-login-response+jwt")
  /// Refresh request, signed.
  package static let refreshRequest = MessageType("platformsso-refresh-request+jwt")
  /// Key request and key exchange request, signed.
  package static let keyRequest = MessageType("platformsso-key-request+jwt")
  /// Response to a key request or key exchange request, encrypted.
  package static let keyResponse = MessageType("platformsso-key-response+jwt")
  /// Authorization request of web-based authentication, signed.
  package static let authorizationRequest = MessageType("platformsso-authorization-request+jwt")
  /// What extensions built with the SDK of macOS 13 send, and extensions that override `typ` by a custom claim.
  package static let jwt = MessageType("JWT")

  /// The media type of a message of this kind.
  package var mediaType: String { "application/" + name }

  /// Whether a received `typ` means this type.
  package func matches(_ type: String) -> Bool {
    Self.folded(type) == Self.folded(name)
  }

  private static func folded(_ type: String) -> WireName {
    let folded = type.asciiLowercased
    return WireName(folded.utf8.contains(0x2F) ? folded : "application/" + folded)
  }
}
