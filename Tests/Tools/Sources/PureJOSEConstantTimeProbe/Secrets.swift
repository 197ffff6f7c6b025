/// The secrets that an operation is run with: edges first, then values drawn from a fixed sequence.
enum Secrets {
  /// Scalars of P-256, 32 octets, big-endian: 1, 2, n − 1, n − 2, single bits, windows of zeros, long runs, then
  /// others below n.
  static func scalars(count: Int) -> [[UInt8]] {
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7,
      0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    func last(_ octet: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 31) + [octet] }
    func below(_ octet: UInt8) -> [UInt8] { order.dropLast() + [order[31] - octet] }
    var scalars = [last(1), last(2), last(32), last(33), below(1), below(2)]
    scalars.append([0x80] + [UInt8](repeating: 0, count: 31))
    scalars.append([0] + [UInt8](repeating: 0xFF, count: 31))
    scalars.append([UInt8](repeating: 0, count: 16) + [UInt8](repeating: 0xFF, count: 16))
    scalars.append([UInt8](repeating: 0x55, count: 32))
    scalars.append([0x7F] + [UInt8](repeating: 0xFF, count: 31))
    scalars.append((0..<32).map { $0 % 2 == 0 ? 0 : 0x10 })
    return edgesAndOthers(scalars, count: count, length: 32)
  }

  /// Scalars of P-384, P-521 or secp256k1, this many octets, big-endian: 1, 2, table edges, long runs of zeros and
  /// ones, then others, all far below n.
  static func scalars(count: Int, length: Int) -> [[UInt8]] {
    func last(_ octet: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: length - 1) + [octet] }
    func bounded(_ scalar: [UInt8]) -> [UInt8] { [scalar[0] & (length == 66 ? 0 : 0x7F)] + scalar.dropFirst() }
    var scalars = [last(1), last(2), last(16), last(17), last(31), last(32)]
    scalars.append([UInt8](repeating: 0, count: length / 2) + [UInt8](repeating: 0xFF, count: length - length / 2))
    scalars.append([UInt8](repeating: 0xFF, count: length))
    scalars.append([UInt8](repeating: 0x55, count: length))
    return edgesAndOthers(scalars, count: count, length: length).map(bounded)
  }

  /// Octets: all zero, all one, one bit, a run, then others.
  static func octets(count: Int, length: Int) -> [[UInt8]] {
    var octets = [[UInt8](repeating: 0, count: length), [UInt8](repeating: 0xFF, count: length)]
    octets.append([1] + [UInt8](repeating: 0, count: length - 1))
    octets.append([UInt8](repeating: 0, count: length - 1) + [0x80])
    octets.append((0..<length).map { UInt8(truncatingIfNeeded: $0) })
    return edgesAndOthers(octets, count: count, length: length)
  }

  /// Of any number at least the last is one of the others.
  private static func edgesAndOthers(_ edges: [[UInt8]], count: Int, length: Int) -> [[UInt8]] {
    let edges = edges.prefix(count - 1)
    return edges + others(count: count - edges.count, length: length)
  }

  private static func others(count: Int, length: Int) -> [[UInt8]] {
    var generator = Sequence64(state: UInt64(length))
    return (0..<count).map { _ in
      // Below n, whatever follows: the first octet of n is FF.
      [UInt8(truncatingIfNeeded: generator.next()) & 0x7F]
        + (1..<length).map { _ in UInt8(truncatingIfNeeded: generator.next() &>> 24) }
    }
  }
}

/// A fixed sequence of numbers that look random (SplitMix64), so that two runs of the probe do the same.
struct Sequence64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }
}
