import JOSE
import PureCrypto

/// The credential that a vendor's apps on one device share. Opaque to clients, and secret.
///
/// Descriptions and reflection show nothing of it. The text leaves only through ``reveal()``.
public struct DeviceSecret: Sendable {
  private let bytes: SecretBytes

  /// The longest text that is taken, in bytes.
  package static let maximumByteCount = 4096

  /// A secret that a server sent or a store held.
  ///
  /// - Throws: `ErrorCode.deviceSecretMalformed` unless the text is 1 to 4096 characters of visible ASCII.
  public init(_ text: String) throws(JOSEError) {
    let utf8 = text.utf8
    guard !utf8.isEmpty, utf8.count <= Self.maximumByteCount, utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw JOSEError(.deviceSecretMalformed, "a device secret is 1 to 4096 visible ASCII characters")
    }
    bytes = SecretBytes(copying: utf8)
  }

  private init(random: SecretBytes) {
    bytes = Base64URL.encodeSecret(random)
  }

  /// A fresh secret: 256 random bits, as 43 characters of base64url.
  public static func random() -> DeviceSecret { DeviceSecret(random: .random(count: 32)) }

  /// The text, to be sent or stored. Never log it.
  public func reveal() -> String { bytes.unwipedText }

  /// SHA-256 of the text.
  ///
  /// Timing: depends on the length only.
  var sha256: SHA2.SHA256.Digest { bytes.withBytes { SHA2.SHA256.hash($0) } }

  /// The left half of the hash that goes with a signature algorithm, as `at_hash` is made of an access token.
  ///
  /// Timing: depends on the length only.
  func leftHalfHash(_ algorithm: SignatureAlgorithm) -> String {
    unsafe bytes.withUnsafeBytes { unsafe algorithm.leftHalfHash(of: $0) }
  }

  /// HMAC-SHA-256 of the text under a provider's key.
  func authenticationCode(key: SecretBytes) -> SHA2.SHA256.Digest {
    unsafe bytes.withUnsafeBytes { unsafe HMACSHA256.authenticate($0, anyKey: key) }
  }

  /// Whether both are the same text.
  ///
  /// Timing: depends on the lengths only.
  package func isSame(as other: DeviceSecret) -> Bool {
    unsafe bytes.withUnsafeBytes { mine in unsafe other.bytes.withUnsafeBytes { unsafe ConstantTime.equal(mine, $0) } }
  }

  /// The form in which a provider keeps the secret.
  package var fingerprint: DeviceSecretFingerprint { DeviceSecretFingerprint(sha256) }
}

extension DeviceSecret: Redacted {}

/// SHA-256 of a device secret in lower-case hexadecimal: what a provider stores and looks up by.
///
/// A fast hash is right here: the input has 256 random bits. The value is not a credential, but it never leaves the
/// server.
package struct DeviceSecretFingerprint: Hashable, Sendable {
  /// 64 lower-case hexadecimal digits.
  package let hexadecimal: String

  init(_ digest: SHA2.SHA256.Digest) { hexadecimal = digest.description }

  /// A stored fingerprint, or nil if the text is not 64 lower-case hexadecimal digits.
  package init?(hexadecimal text: String) {
    guard text.utf8.count == 64, text.utf8.allSatisfy(\.isLowerCaseHexadecimal) else { return nil }
    hexadecimal = text
  }
}

extension DeviceSecretFingerprint: Redacted {}
