/// Writes bits into bytes, the least significant first.
struct DeflateBitWriter {
  private(set) var octets: [UInt8] = []
  /// Bits that make no whole byte yet: `count` of them, fewer than 8 between two calls.
  private var window: UInt64 = 0
  private var count = 0

  /// Writes the `bitCount` least significant bits of a number, at most 16, which has no others.
  mutating func write(_ value: Int, bitCount: Int) {
    window |= UInt64(value) &<< UInt64(count)
    count += bitCount
    while count >= 8 {
      octets.append(UInt8(truncatingIfNeeded: window))
      window &>>= 8
      count -= 8
    }
  }

  /// Fills the current byte with zeros.
  mutating func fillByte() {
    if count > 0 { write(0, bitCount: 8 - count) }
  }

  /// Writes whole bytes. What was there before has been filled up.
  mutating func append(_ content: ArraySlice<UInt8>) { octets += content }

  /// All bytes, the last of them filled up.
  consuming func finished() -> [UInt8] {
    fillByte()
    return octets
  }
}
