import PureCryptoIntegers
import PureJOSETestSupport

@testable import PureCrypto

/// p, n, and integers whose limbs are where carries get lost.
enum AwkwardIntegers {
  static let p = ReferenceInteger(
    bigEndian: bytes("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"))
  static let n = ReferenceInteger(
    bigEndian: bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))

  /// Below 2²⁵⁶: near 0, m and 2²⁵⁶, every pattern of limbs from {0, 1, 2⁶³, 2⁶⁴ − 1}, and a few
  /// that were drawn.
  static func below2To256(around m: ReferenceInteger) -> [UInt256] {
    var integers: [UInt256] = []
    for offset: UInt32 in 0...3 {
      integers.append(integer(ReferenceInteger(offset)))
      integers.append(integer(m - ReferenceInteger(offset)))
      integers.append(integer(m + ReferenceInteger(offset)))
      integers.append(UInt256(~UInt64(offset), ~0, ~0, ~0))
    }
    let limbs: [UInt64] = [0, 1, 1 << 63, ~0]
    for pattern in 0..<256 {
      integers.append(
        UInt256(limbs[pattern & 3], limbs[pattern >> 2 & 3], limbs[pattern >> 4 & 3], limbs[pattern >> 6]))
    }
    var generator = SplitMix(state: 1)
    for _ in 0..<20 {
      integers.append(UInt256(generator.next(), generator.next(), generator.next(), generator.next()))
    }
    return integers
  }

  /// The same, those below `m` only.
  static func below(_ m: ReferenceInteger) -> [UInt256] {
    below2To256(around: m).filter { reference($0) < m }
  }

  static func reference(_ integer: UInt256) -> ReferenceInteger {
    ReferenceInteger(bigEndian: integer.bigEndianBytes)
  }

  static func integer(_ reference: ReferenceInteger) -> UInt256 {
    reference.bigEndian32.withUnsafeBytes { bytes in bytes.baseAddress.map { UInt256(bigEndian: $0) } ?? .zero }
  }

  private static func bytes(_ text: String) -> [UInt8] {
    (try? hex(text)) ?? []
  }
}

/// A small generator with a seed, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}
