import PureCrypto

/// Each leaks in a way in which the package once did, or in one that everybody knows. The check must report every one
/// of them.
extension TaintedOperations {
  static var twins: [TaintedOperation] {
    [
      TaintedOperation("twin: a branch", leaksIn: "firstDifference", octets(32)) { secret in
        [UInt8(truncatingIfNeeded: LeakyTwins.firstDifference(secret, [UInt8](repeating: 0, count: 32)))]
      },
      TaintedOperation("twin: an index", leaksIn: "substituted", octets(32)) { secret in
        [LeakyTwins.substituted(secret)]
      },
      TaintedOperation("twin: a limb kept by a branch", leaksIn: "difference", octets(64)) { secret in
        let words = (0..<8).map { word in (0..<8).reduce(0 as UInt64) { $0 << 8 | UInt64(secret[8 * word + $1]) } }
        return LeakyTwins.difference(Array(words[..<4]), Array(words[4...]), modulus: [~0, ~0, ~0, 7]).map {
          UInt8(truncatingIfNeeded: $0)
        }
      },
      TaintedOperation("twin: a remainder bit by bit", leaksIn: "remainder", octets(16)) { secret in
        (0..<8).map { UInt8(truncatingIfNeeded: LeakyTwins.remainder(secret, modulo: 65537) >> (8 * $0)) }
      },
      TaintedOperation("twin: a counter that is aligned or not", leaksIn: "counters", octets(16)) { secret in
        LeakyTwins.counters(from: secret).map { UInt8(truncatingIfNeeded: $0) }
      },
      TaintedOperation("twin: one of sixteen powers behind a branch", leaksIn: "power", octets(1)) { secret in
        LeakyTwins.power(UInt64(secret[0]) & 15, of: (0..<64).map { $0 &* 0x9E37 }).map {
          UInt8(truncatingIfNeeded: $0)
        }
      },
      TaintedOperation("twin: a key or a random one by its address", leaksIn: "chosen", octets(32)) { secret in
        LeakyTwins.chosen(secret, [UInt8](repeating: 1, count: 32), if: secret[0] & 1)
      },
    ]
  }
}

/// The check on the check: what must be silent.
extension TaintedOperations {
  static var checks: [TaintedOperation] {
    [
      TaintedOperation("check: a masked sum", octets(32)) { secret in
        var sum: UInt64 = 0
        for octet in secret { sum &+= Mask(UInt64(octet), isLessThan: 100).select(UInt64(octet), 3) }
        return [UInt8(truncatingIfNeeded: sum)]
      },
      TaintedOperation("check: what is declassified, used as one likes", decides: true, octets(32)) { secret in
        let isSmall = Mask(UInt64(secret[0]), isLessThan: 100).declassified
        return isSmall ? secret : nil
      },
    ]
  }
}
