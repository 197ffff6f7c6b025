/// A decision about secrets: all ones for yes, all zeros for no.
///
/// Invariant: `word` is 0 or 2⁶⁴ − 1. Every operation below is a fixed sequence of additions and bitwise operations on
/// whole words, so that the decision never reaches a branch predictor or an address. It becomes a `Bool` in one place
/// only, ``declassified``, and only when the answer may be known to everybody.
package struct Mask: Sendable {
  /// 0 or 2⁶⁴ − 1.
  @usableFromInline package let word: UInt64

  @inlinable
  init(unchecked word: UInt64) { self.word = word }

  /// Yes.
  @inlinable
  package static var yes: Mask { Mask(unchecked: ~0) }

  /// No.
  @inlinable
  package static var no: Mask { Mask(unchecked: 0) }

  /// Yes for 1, no for 0.
  /// - Parameter bit: 0 or 1; the higher bits are ignored.
  @inlinable
  package init(bit: UInt64) {
    self.word = 0 &- (bit & 1)
  }

  /// Whether `value` is zero.
  @inlinable
  package init(isZero value: UInt64) {
    // The top bit of x | −x is set exactly when x ≠ 0.
    self.word = ((value | (0 &- value)) &>> 63) &- 1
  }

  /// Whether `lhs` and `rhs` are the same word.
  @inlinable
  package init(_ lhs: UInt64, equals rhs: UInt64) {
    self.init(isZero: lhs ^ rhs)
  }

  /// Whether `lhs` < `rhs`, as unsigned words.
  @inlinable
  package init(_ lhs: UInt64, isLessThan rhs: UInt64) {
    // The 128-bit difference is negative exactly when lhs < rhs; its high word is then all ones, otherwise zero.
    let difference = UInt128(lhs) &- UInt128(rhs)
    self.word = UInt64(truncatingIfNeeded: difference &>> 64)
  }

  /// `first` for yes, `second` for no.
  @inlinable @inline(__always)
  package func select<Word: FixedWidthInteger & UnsignedInteger>(_ first: Word, _ second: Word) -> Word {
    let mask = Word(truncatingIfNeeded: word)
    return second ^ (mask & (first ^ second))
  }

  /// The same decision, of which the compiler doesn't know that it has two values only.
  ///
  /// Where both alternatives of a selection lie in memory, the compiler may read the one instead of both: it did so in a loop that chose between
  /// an unwrapped key and a random one, and the address that was read then told which. Selections between two runs of memory take this copy.
  ///
  /// Not optimised, so that nothing is known of what it returns.
  @inline(never) @_optimize(none)
  package func opaque() -> Mask { Mask(unchecked: word) }

  /// `value` for yes, zero for no.
  @inlinable @inline(__always)
  package func keep<Word: FixedWidthInteger & UnsignedInteger>(_ value: Word) -> Word {
    Word(truncatingIfNeeded: word) & value
  }

  /// 1 for yes, 0 for no.
  @inlinable
  package var bit: UInt64 { word & 1 }

  /// Turns the decision into a `Bool`, which the compiler may branch on.
  ///
  /// The one step at which a decision stops being secret. Call it last, on an answer that the caller is meant to learn.
  @inlinable
  package var declassified: Bool { word != 0 }

  @inlinable
  package static func & (lhs: Mask, rhs: Mask) -> Mask { Mask(unchecked: lhs.word & rhs.word) }

  @inlinable
  package static func | (lhs: Mask, rhs: Mask) -> Mask { Mask(unchecked: lhs.word | rhs.word) }

  @inlinable
  package static func ^ (lhs: Mask, rhs: Mask) -> Mask { Mask(unchecked: lhs.word ^ rhs.word) }

  @inlinable
  package static prefix func ~ (mask: Mask) -> Mask { Mask(unchecked: ~mask.word) }
}
