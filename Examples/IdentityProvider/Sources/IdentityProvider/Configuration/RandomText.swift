import JOSE
import PureCrypto

/// Random names and secrets, which an attacker can't guess.
package enum RandomText {
  /// This many octets of the system's generator, in base64url.
  package static func make(byteCount: Int = 32) -> String { Base64URL.encode(octets(byteCount)) }

  /// This many octets of the system's generator.
  package static func octets(_ count: Int) -> [UInt8] {
    SecretBytes.random(count: count).withBytes { $0.withUnsafeBytes { Array($0) } }
  }
}
