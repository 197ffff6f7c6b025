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

  /// A number from 0 up to, but not including, 1, of 53 random bits.
  func fraction() -> Double {
    let bits = bytes(8).reduce(UInt64(0)) { $0 &<< 8 | UInt64($1) }
    return Double(bits &>> 11) / 9_007_199_254_740_992
  }
}
