/// What constant-time code must not do, so that the check can show that it would notice.
enum LeakyTwins {
  /// Compares and stops at the first difference.
  @inline(never)
  static func firstDifference(_ lhs: [UInt8], _ rhs: [UInt8]) -> Int {
    var index = 0
    while index < lhs.count, lhs[index] == rhs[index] { index += 1 }
    return index
  }

  private static let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }

  /// Looks each octet up in a table: no branch differs, but the addresses do.
  @inline(never)
  static func substituted(_ octets: [UInt8]) -> UInt8 {
    var sum: UInt8 = 0
    for octet in octets { sum ^= table[Int(octet)] }
    return sum
  }

  // What follows leaked in this package before it was found, each by what the compiler or the author made of it.

  /// lhs − rhs mod m, where the modulus is loaded only if it is to be added: a mask that the compiler turned into a
  /// jump around the load, in the recombination of RSA.
  @inline(never)
  static func difference(_ lhs: [UInt64], _ rhs: [UInt64], modulus: [UInt64]) -> [UInt64] {
    var borrow: UInt64 = 0
    var result = lhs
    for index in lhs.indices {
      let difference = UInt128(lhs[index]) &- UInt128(rhs[index]) &- UInt128(borrow)
      result[index] = UInt64(truncatingIfNeeded: difference)
      borrow = UInt64(truncatingIfNeeded: difference &>> 64) & 1
    }
    guard borrow != 0 else { return result }
    var carry: UInt64 = 0
    for index in lhs.indices {
      let sum = UInt128(result[index]) &+ UInt128(modulus[index]) &+ UInt128(carry)
      result[index] = UInt64(truncatingIfNeeded: sum)
      carry = UInt64(truncatingIfNeeded: sum &>> 64)
    }
    return result
  }

  /// a mod m, bit by bit, with a branch on each borrow: the search for primes of RSA did that to the prime that it
  /// kept.
  @inline(never)
  static func remainder(_ octets: [UInt8], modulo m: UInt64) -> UInt64 {
    var result: UInt64 = 0
    for octet in octets {
      for bit in 0..<8 {
        result = result &<< 1 | UInt64(octet &>> UInt8(truncatingIfNeeded: 7 &- bit)) & 1
        if result >= m { result = advance(result, m) }
      }
    }
    return result
  }

  // Out of line, so that the branch stays one.
  @inline(never)
  private static func advance(_ a: UInt64, _ m: UInt64) -> UInt64 { a &- m }

  /// Counters from a first block, by a shorter path where its last bits are zero: GCM on AVX-512 did that with a block
  /// that is the hash of a long initialization vector.
  @inline(never)
  static func counters(from block: [UInt8]) -> [UInt32] {
    let first = block[12...].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    if first & 3 == 0 { return (0..<4).map { aligned(first, $0) } }
    return (0..<4).map { first &+ $0 }
  }

  @inline(never)
  private static func aligned(_ first: UInt32, _ place: UInt32) -> UInt32 { first | place }

  /// Four limbs of the power that a secret names. All sixteen are gone through, but the others are jumped over: the
  /// compiler had made that of a mask.
  @inline(never)
  static func power(_ number: UInt64, of table: [UInt64]) -> [UInt64] {
    var result: [UInt64] = [0, 0, 0, 0]
    for power in 0..<16 where UInt64(power) == number {
      for limb in 0..<4 { result[limb] |= table[4 * power + limb] }
    }
    return result
  }

  /// Each octet from one of two places: the compiler had made a choice between two addresses of a mask.
  @inline(never)
  static func chosen(_ first: [UInt8], _ second: [UInt8], if bit: UInt8) -> [UInt8] {
    let places = [first, second]
    return places.withUnsafeBufferPointer { places in
      first.indices.map { places[1 - Int(bit)][$0] }
    }
  }

  /// A sum over a copy, which goes back to the heap as it is: private members of a JWK went through such an array.
  @inline(never)
  static func copied(_ octets: [UInt8]) -> [UInt8] {
    var copy = octets
    copy.append(1)
    return [copy.reduce(0, &+)]
  }
}
