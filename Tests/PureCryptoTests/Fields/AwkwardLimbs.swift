@testable import PureCrypto

/// Integers of any number of limbs that are where carries get lost.
enum AwkwardLimbs {
  /// Near 0, m and 2^bits, limbs from {0, 1, 2⁶³, 2⁶⁴ − 1}, and a few that were drawn; all below 2^bits.
  static func integers<Modulus: PrimeModulus>(around modulus: Modulus.Type) -> [Modulus.Integer] {
    typealias Integer = Modulus.Integer
    var integers: [Integer] = []
    let ones: Integer = filled { _ in ~0 }
    for offset: UInt64 in 0...2 {
      integers.append(Integer(word: offset))
      integers.append(Modulus.modulus.subtracting(offset))
      integers.append(Modulus.modulus.adding(offset))
      integers.append(belowBitCount(ones.subtracting(offset), modulus))
    }
    var generator = SplitMix(state: UInt64(Modulus.bitCount))
    let limbs: [UInt64] = [0, 1, 1 << 63, ~0]
    for _ in 0..<24 {
      integers.append(belowBitCount(filled { _ in limbs[Int(generator.next() >> 62)] }, modulus))
    }
    for _ in 0..<8 { integers.append(belowBitCount(filled { _ in generator.next() }, modulus)) }
    return integers
  }

  /// The same, those below m only.
  static func residues<Modulus: PrimeModulus>(_ modulus: Modulus.Type) -> [Modulus.Integer] {
    integers(around: modulus).filter { Residue<Modulus>.isCanonical($0).declassified }
  }

  static func filled<Integer: LimbInteger>(_ limb: (Int) -> UInt64) -> Integer {
    var integer = Integer.zero
    integer.withMutableLimbs { limbs in
      for index in 0..<Integer.limbCount { limbs[index] = limb(index) }
    }
    return integer
  }

  static func reference<Integer: LimbInteger>(_ integer: Integer) -> ReferenceInteger {
    ReferenceInteger(bigEndian: integer.bigEndianBytes(count: 8 * Integer.limbCount))
  }

  private static func belowBitCount<Modulus: PrimeModulus>(
    _ integer: Modulus.Integer, _ modulus: Modulus.Type
  ) -> Modulus.Integer {
    filled { index in
      let bits = Modulus.bitCount - 64 * index
      return bits >= 64 ? integer.limb(index) : integer.limb(index) & (1 << UInt64(bits) - 1)
    }
  }
}
