/// A hash function of thumbprint URIs, by its name in the registry of hash names.
///
/// Source: RFC 9278 §4.
public enum ThumbprintHash: Sendable, CaseIterable {
  /// SHA-256: `sha-256` in the URI. What every receiver knows.
  case sha256
  /// SHA-384: `sha-384` in the URI.
  case sha384
  /// SHA-512: `sha-512` in the URI.
  case sha512

  /// The registered name.
  package var name: String {
    switch self {
    case .sha256: "sha-256"
    case .sha384: "sha-384"
    case .sha512: "sha-512"
    }
  }

  var uriPrefix: String { "urn:ietf:params:oauth:jwk-thumbprint:\(name):" }
}
