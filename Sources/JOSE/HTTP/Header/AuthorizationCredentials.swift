import PureCrypto

/// What an `Authorization` field says: a scheme and one token, as with `Bearer`, `DPoP` and `Basic`.
///
/// ```swift
/// guard let credentials = AuthorizationCredentials(field), credentials.hasScheme("Bearer") else { return refusal }
/// let verified = try await verifier.verify(credentials.token)
/// ```
///
/// Source: RFC 9110 §11.4.
public struct AuthorizationCredentials: Sendable, Redacted {
  /// The scheme as it stands. Compare by ``hasScheme(_:)``.
  public let scheme: String
  /// The token. Secret.
  public let token: String

  /// Reads the value of one field: the scheme, one space or several, and visible ASCII without a space. Nil for
  /// anything else, such as a scheme alone, two credentials in one field, or a tab.
  public init?(_ field: String) {
    let octets = field.utf8
    guard let end = octets.firstIndex(of: 0x20), end > octets.startIndex else { return nil }
    let token = octets[end...].drop { $0 == 0x20 }
    guard !token.isEmpty, token.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    (scheme, self.token) = (String(field[..<end]), String(Substring(token)))
  }

  /// Whether the scheme is this one. The case of ASCII letters doesn't matter; no other letter counts as one of them.
  public func hasScheme(_ name: String) -> Bool { Self.isScheme(name, of: scheme) }

  /// Whether a field has this scheme, whatever follows it: where it isn't one token, the request is wrong and not
  /// without credentials.
  public static func isScheme(_ name: String, of field: String) -> Bool {
    String(Substring(field.utf8.prefix { $0 != 0x20 })).hasSameBytesIgnoringASCIICase(as: name)
  }

  /// The value of the field by which a client proves itself with a secret. Both parts are form-encoded first.
  ///
  /// Source: RFC 6749 §2.3.1.
  package static func basic(clientID: String, secret: String) -> String {
    let credentials = PercentEncoding.encode(clientID) + ":" + PercentEncoding.encode(secret)
    return "Basic " + Base64.encode(Array(credentials.utf8))
  }
}
