import JOSE
import PureCrypto

/// Where random octets come from. Replaceable inside this package only, for tests.
package struct RandomSource: Sendable {
  package let bytes: @Sendable (_ count: Int) -> [UInt8]

  package init(_ bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
    self.bytes = bytes
  }

  /// The operating system's generator.
  package static let system = RandomSource { SystemRandom.bytes(count: $0) }

  /// 32 random octets in base64url: 256 bits in 43 characters.
  package func token() -> String { Base64URL.encode(bytes(32)) }
}
