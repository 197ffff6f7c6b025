/// Reproducible bytes that look random: a xorshift generator's output.
func testBytes(count: Int, seed: UInt64 = 1) -> [UInt8] {
  var generator = TestGenerator(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
}

/// A small reproducible generator for tests.
/// Source: Marsaglia's xorshift64*.
struct TestGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    self.state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_f491_4f6c_dd1d
  }
}
