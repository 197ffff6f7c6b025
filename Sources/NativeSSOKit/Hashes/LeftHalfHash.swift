import JOSE
import PureCrypto
import StrictJSON

/// The left half of a hash in base64url, as `at_hash`, `c_hash` and most `ds_hash` are made.
///
/// Source: OpenID Connect Core 1.0 §3.1.3.6.
package enum LeftHalfHash {
  /// The hash that goes with a signature algorithm.
  package enum Function: Sendable, CaseIterable {
    /// `*256` and ES256K.
    case sha256
    /// `*384`.
    case sha384
    /// `*512`, Ed25519, and EdDSA, of which Ed25519 is the only curve here.
    case sha512

    /// The function for an `alg`, or nil if the algorithm names none that is implemented.
    package init?(signatureAlgorithm name: String) {
      if Self.isFamily(name, "256") || name.hasSameBytes(as: "ES256K") {
        self = .sha256
      } else if Self.isFamily(name, "384") {
        self = .sha384
      } else if Self.isFamily(name, "512") || ["Ed25519", "EdDSA"].contains(where: { name.hasSameBytes(as: $0) }) {
        self = .sha512
      } else {
        return nil
      }
    }

    /// Whether the name is HS, RS, PS or ES and these digits.
    private static func isFamily(_ name: String, _ digits: String) -> Bool {
      ["HS", "RS", "PS", "ES"].contains { name.hasSameBytes(as: $0 + digits) }
    }
  }

  /// The value for a text: 22, 32 or 43 characters.
  ///
  /// Timing: depends on the length only.
  package static func value(of text: String, function: Function = .sha256) -> String {
    switch function {
    case .sha256: leftHalf(SHA2.SHA256.hash(text.utf8))
    case .sha384: leftHalf(SHA2.SHA384.hash(text.utf8))
    case .sha512: leftHalf(SHA2.SHA512.hash(text.utf8))
    }
  }

  /// The value for a device secret.
  static func value(of secret: DeviceSecret, function: Function) -> String {
    switch function {
    case .sha256: leftHalf(secret.sha256)
    case .sha384: leftHalf(secret.sha384)
    case .sha512: leftHalf(secret.sha512)
    }
  }

  private static func leftHalf(_ digest: some SHA2Digest) -> String {
    Base64URL.encode(digest.prefix(digest.count / 2))
  }
}
