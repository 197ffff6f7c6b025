/// Bytes to work on: the same in each run, without a pattern that an algorithm could profit from.
public enum SampleBytes {
  /// The top bytes of a linear congruential sequence.
  public static func make(count: Int) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state &>> 56)
    }
  }
}
