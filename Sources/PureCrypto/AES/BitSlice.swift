/// A word of independent bits: one gate of a circuit is one instruction on it.
protocol BitSlice: BitwiseCopyable {
  static func ^ (lhs: Self, rhs: Self) -> Self
  static func & (lhs: Self, rhs: Self) -> Self
}

extension UInt64: BitSlice {}

/// Eight slices: slice i holds bit i (0 the least significant) of many bytes.
struct ByteSlices<Slice: BitSlice>: BitwiseCopyable {
  var s0, s1, s2, s3, s4, s5, s6, s7: Slice
}
