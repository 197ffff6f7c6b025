#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX2
  internal import PureCryptoKernelsIFMA
#endif

/// Powers of r for a kernel that takes in a group of blocks at once, each in a lane of its own.
///
/// Every lane is multiplied by rⁿ, n being the number of lanes, and in the last group by the power of its own place,
/// rⁿ … r, after which the sum of the lanes is that of the polynomial.
struct Poly1305Powers {
  /// Room for the powers of any kernel.
  static let byteCount = 592

  /// The binary logarithm of a group's bytes: lengths are shifted by it, and nothing is divided.
  let groupShift: Int
  private let memory: UnsafeMutableRawPointer

  /// Nil if the backend has no such kernel.
  /// - Parameter memory: room for `byteCount` bytes.
  init?(of r: Poly1305Number, memory: UnsafeMutableRawPointer, backend: Backend) {
    self.memory = memory
    let words = memory.bindMemory(to: UInt64.self, capacity: Self.byteCount / 8)
    switch backend {
    #if HARDWARE_KERNELS && arch(x86_64)
      case .avx512ifma:
        groupShift = 7
        let highest = Self.write(r, laneCount: 8) { $0.writeLimbs(to: words + (16 &+ $1), stride: 8) }
        highest.writeLimbs(to: words, stride: 1)
        highest.multiplied(by: highest).writeLimbs(to: words + 5, stride: 1)
      case .avx2, .avx2vaes, .avx512:
        groupShift = 6
        let highest = Self.write(r, laneCount: 4) { $0.writeDigits(to: words + (36 &+ $1), stride: 4) }
        for lane in 0..<4 { highest.writeDigits(to: words + lane, stride: 4) }
        // The mask of a limb.
        words[72] = (1 << 26) - 1
    #endif
    default: return nil
    }
  }

  /// Writes each power to its lane and returns the highest.
  private static func write(
    _ r: Poly1305Number, laneCount: Int, _ write: (Poly1305Number, _ lane: Int) -> Void
  ) -> Poly1305Number {
    var power = r
    for exponent in 1...laneCount {
      if exponent > 1 { power = power.multiplied(by: r) }
      // The lower halves of two vectors of blocks go to even and odd lanes, as instructions that unpack words do it.
      let block = laneCount &- exponent
      let half = laneCount &>> 1
      write(power, block < half ? 2 &* block : 2 &* (block &- half) &+ 1)
    }
    return power
  }

  /// Takes in whole groups.
  /// - Parameter sum: three limbs of 44, 44 and 42 bits, as a product has them.
  @inline(__always)
  func update(_ sum: UnsafeMutablePointer<UInt64>, _ blocks: UnsafeRawPointer, groupCount: Int) {
    #if HARDWARE_KERNELS && arch(x86_64)
      if groupShift == 7 {
        poly1305AddIFMA(sum: sum, powers: memory, blocks: blocks, groupCount: groupCount)
      } else {
        poly1305AddAVX2(sum: sum, powers: memory, blocks: blocks, groupCount: groupCount, zero: 0)
      }
    #endif
  }
}

extension Poly1305Number {
  /// Writes limbs of 44, 44 and 42 bits (the highest may be 2⁴²), and twenty times the upper two.
  /// - Parameter words: five places, `stride` apart.
  fileprivate func writeLimbs(to words: UnsafeMutablePointer<UInt64>, stride: Int) {
    let number = carried
    words[0] = number.limb0
    words[stride] = number.limb1
    words[2 &* stride] = number.limb2
    words[3 &* stride] = 20 &* number.limb1
    words[4 &* stride] = 20 &* number.limb2
  }

  /// Writes limbs of 26 bits (the highest may be 2²⁶), and five times the upper four.
  /// - Parameter words: nine places, `stride` apart.
  fileprivate func writeDigits(to words: UnsafeMutablePointer<UInt64>, stride: Int) {
    let mask: UInt64 = (1 << 26) - 1
    let number = carried
    let digits = (
      number.limb0 & mask, (number.limb0 &>> 26 | number.limb1 &<< 18) & mask, number.limb1 &>> 8 & mask,
      (number.limb1 &>> 34 | number.limb2 &<< 10) & mask, number.limb2 &>> 16
    )
    words[0] = digits.0
    words[stride] = digits.1
    words[2 &* stride] = digits.2
    words[3 &* stride] = digits.3
    words[4 &* stride] = digits.4
    words[5 &* stride] = 5 &* digits.1
    words[6 &* stride] = 5 &* digits.2
    words[7 &* stride] = 5 &* digits.3
    words[8 &* stride] = 5 &* digits.4
  }

  /// The same with 44 bits in its second limb, of a number whose second limb is below twice 2⁴⁴.
  private var carried: Poly1305Number {
    Poly1305Number(limb0, limb1 & (1 &<< 44 &- 1), limb2 &+ limb1 &>> 44)
  }
}
