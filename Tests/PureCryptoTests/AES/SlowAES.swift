/// AES straight from FIPS 197: one byte at a time, the S-box from its algebraic definition. Nothing shared with the
/// module.
struct SlowAES {
  private let roundKeys: [[UInt8]]

  /// S(x) = A·x⁻¹ ⊕ 0x63 in GF(2⁸) modulo x⁸ + x⁴ + x³ + x + 1.
  /// Source: FIPS 197 §5.1.1.
  static let sBox: [UInt8] = (0...255).map { value in
    let x = UInt8(value)
    // x²⁵⁴ is the inverse of x, and 0 for 0.
    let inverse = (0..<254).reduce(UInt8(1)) { power, _ in multiply(power, x) }
    return (0..<8).reduce(UInt8(0x63)) { result, i in
      let bit = [0, 4, 5, 6, 7].reduce(UInt8(0)) { $0 ^ (inverse >> UInt8((i + $1) % 8)) & 1 }
      return result ^ bit << UInt8(i)
    }
  }

  private static let doubles = (0...255).map { multiply(UInt8($0), 2) }

  static func multiply(_ x: UInt8, _ y: UInt8) -> UInt8 {
    var product: UInt8 = 0
    var x = x
    for bit in 0..<8 {
      if y >> UInt8(bit) & 1 == 1 { product ^= x }
      x = x << 1 ^ (x >> 7 == 1 ? 0x1b : 0)
    }
    return product
  }

  init(key: [UInt8]) {
    let nk = key.count / 4
    var words = (0..<nk).map { Array(key[(4 * $0)..<(4 * $0 + 4)]) }
    var rcon: UInt8 = 1
    for i in nk..<(4 * (nk + 7)) {
      var word = words[i - 1]
      if i % nk == 0 {
        word = [word[1], word[2], word[3], word[0]].map { Self.sBox[Int($0)] }
        word[0] ^= rcon
        rcon = Self.multiply(rcon, 2)
      } else if nk == 8 && i % nk == 4 {
        word = word.map { Self.sBox[Int($0)] }
      }
      words.append(zip(words[i - nk], word).map { $0 ^ $1 })
    }
    roundKeys = (0..<(words.count / 4)).map { round in words[(4 * round)..<(4 * round + 4)].flatMap { $0 } }
  }

  func encrypt(_ block: [UInt8]) -> [UInt8] {
    var state = zip(block, roundKeys[0]).map { $0 ^ $1 }
    for round in 1..<roundKeys.count {
      state = state.map { Self.sBox[Int($0)] }
      // ShiftRows: byte 4c + r comes from column c + r.
      state = (0..<16).map { state[4 * (($0 / 4 + $0 % 4) % 4) + $0 % 4] }
      if round < roundKeys.count - 1 {
        state = (0..<16).map { i in
          (0..<4).reduce(UInt8(0)) { sum, k in
            let x = state[4 * (i / 4) + (i % 4 + k) % 4]
            return sum ^ (k == 0 ? Self.doubles[Int(x)] : k == 1 ? Self.doubles[Int(x)] ^ x : x)
          }
        }
      }
      state = zip(state, roundKeys[round]).map { $0 ^ $1 }
    }
    return state
  }
}
