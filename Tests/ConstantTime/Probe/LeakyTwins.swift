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
}
