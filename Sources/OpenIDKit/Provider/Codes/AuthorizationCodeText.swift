import JOSE
import PureCrypto

/// The text of authorization codes: 256 random bits, as 43 characters. Secret until it is used.
package enum AuthorizationCodeText {
  /// The longest text that is looked up.
  static let maximumByteCount = 128

  /// A new code.
  package static func make(_ random: RandomSource = .system) -> String { Base64URL.encode(random.bytes(32)) }

  /// What is kept of a code, and finds it: SHA-256, 32 octets. Nothing that stands in a database can be presented.
  package static func hash(of code: String) -> [UInt8] { Array(SHA2.SHA256.hash(code.utf8)) }
}
