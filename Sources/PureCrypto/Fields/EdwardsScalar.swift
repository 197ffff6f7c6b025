internal import PureCryptoIntegers

/// Integers mod L = 2²⁵² + 27742317777372353535851937790883648493, the order of the base point of Ed25519.
///
/// Timing: no operation depends on the values.
enum EdwardsScalar {
  /// L, and R² mod L with R = 2²⁵⁶: four limbs each.
  private static let constants: [UInt64] = {
    var limbs: [UInt64] = [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0, 0x1000_0000_0000_0000, 0, 0, 0, 0]
    limbs.withUnsafeMutableBufferPointer { limbs in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 8) { product in
        guard let order = limbs.baseAddress, let product = product.baseAddress else { return }
        product.initialize(repeating: 0, count: 8)
        MontgomeryModulus(order, count: 4).radixSquared(order + 4, bitCount: 253, product)
      }
    }
    return limbs
  }()

  /// L.
  private static var order: UInt256 {
    UInt256(0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0, 0x1000_0000_0000_0000)
  }

  /// Whether an integer is below L.
  static func isCanonical(_ integer: UInt256) -> Mask { integer.isLess(than: order) }

  /// (low + 2²⁵⁶ high) mod L.
  static func reduced(low: UInt256, high: UInt256) -> UInt256 {
    // high · R² · R⁻¹ = high · 2²⁵⁶, and low · R² · R⁻¹ · 1 · R⁻¹ = low.
    let upper = multiplied(high, .radixSquared)
    let lower = multiplied(multiplied(low, .radixSquared), .integer(.one))
    return UInt256.sum(upper, lower, modulus: order)
  }

  /// (a · b + c) mod L, for b, c < L.
  static func multiplyAdd(_ a: UInt256, _ b: UInt256, _ c: UInt256) -> UInt256 {
    UInt256.sum(multiplied(multiplied(a, .radixSquared), .integer(b)), c, modulus: order)
  }

  private enum Factor {
    case radixSquared
    case integer(UInt256)
  }

  /// a · b · R⁻¹ mod L, for b < L.
  private static func multiplied(_ a: UInt256, _ factor: Factor) -> UInt256 {
    constants.withUnsafeBufferPointer { constants in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { room in
        defer { wipe(UnsafeMutableRawBufferPointer(room)) }
        guard let first = room.baseAddress, let order = constants.baseAddress else { return .zero }
        let second = first + 4
        store(a, to: first)
        switch factor {
        case .radixSquared: second.initialize(from: order + 4, count: 4)
        case .integer(let b): store(b, to: second)
        }
        (second + 4).initialize(repeating: 0, count: 8)
        MontgomeryModulus(order, count: 4).multiply(first, first, second, second + 4)
        return UInt256(first[0], first[1], first[2], first[3])
      }
    }
  }

  private static func store(_ integer: UInt256, to limbs: UnsafeMutablePointer<UInt64>) {
    limbs.initialize(to: integer.l0)
    (limbs + 1).initialize(to: integer.l1)
    (limbs + 2).initialize(to: integer.l2)
    (limbs + 3).initialize(to: integer.l3)
  }
}
