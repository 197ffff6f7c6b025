/// One choice of everything secret: key, message, hash subkey, first counter block, chaining value.
///
/// The first ones are edges: all zero, all one, a single bit at either end, alternating bits; then octets that look
/// random.
struct Secret {
  let number: Int

  /// As many octets; the same for the same secret.
  func octets(count: Int) -> [UInt8] {
    switch number {
    case 0: return [UInt8](repeating: 0, count: count)
    case 1: return [UInt8](repeating: 0xFF, count: count)
    case 2: return [1] + [UInt8](repeating: 0, count: count - 1)
    case 3: return [UInt8](repeating: 0, count: count - 1) + [0x80]
    case 4: return (0..<count).map { $0 % 2 == 0 ? 0x55 : 0xAA }
    default:
      var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
      return (0..<count).map { _ in
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: mixed &>> 56)
      }
    }
  }

  /// J₀, whose last 32 bits are a counter: near 2³², where it wraps, at the borders of 16 and 32 blocks, and
  /// anywhere. GHASH of a long initialization vector can be any of them, and then it is secret.
  var counterBlock: SIMD2<Int64> {
    let counters: [UInt32] = [
      1, 17, 0xFFFF_FFFF, 0, 0xFFFF_FFF0, 0xFFFF_FFFE, 0x7FFF_FFFF, 0xFFFF_FFE1, 0xFFFF_FF00, 33, 0x8000_0000,
      0x0001_0001,
    ]
    let others = octets(count: 16)
    var block = SIMD16<UInt8>()
    for place in 0..<12 { block[place] = others[place] }
    let counter = counters[number % counters.count]
    for place in 0..<4 { block[12 + place] = UInt8(truncatingIfNeeded: counter &>> UInt32(24 - 8 * place)) }
    return unsafeBitCast(block, to: SIMD2<Int64>.self)
  }

  /// Whether the hash subkey is to be the secret itself, zero included, instead of what the key encrypts to.
  var replacesHashSubkey: Bool { number % 3 == 2 || number < 2 }
}
