/// A decision about secrets: all ones for yes, all zeros for no.
///
/// Invariant: `word` is 0 or 2⁶⁴ − 1. Every operation below is a fixed sequence of additions and bitwise
/// operations on whole words, so that the decision never reaches a branch predictor or an address. It becomes a `Bool`
/// in one place only, ``declassified``, and only when the answer may be known to everybody.
///
/// ## The barrier
///
/// An optimiser that knows that a word has two values only may branch on it, whatever the source says. That happened
/// three times: a loop that read all sixteen powers of a base was left out for fifteen of them, a copy that took each
/// octet from one of two places read only one of the two, and a subtraction that gives back the modulus loaded it only
/// when it was needed. So a mask is made opaque where it is made, by ``opaqueZero()``: the compiler never knows that
/// the word has two values, neither there nor in any selection that follows. There is no initializer without the
/// barrier, and no selection without a mask.
///
/// What selects, and what it rests on:
/// - ``select(_:_:)``, ``keep(_:)``, and all that is made of them (`LimbRun.sum(_:_:_:if:)`, `LimbRun.move`, tables
///   of powers and of P-384, P-521 and secp256k1, exchanges of X25519, `Residue`, OAEP, paddings, unwrapped keys, the
///   last subtraction of Poly1305): the barrier of the mask.
/// - The reductions mod p and n of P-256 (`UInt256.subtractOnce`, `difference`): no decision that the compiler could
///   see. A word above the difference, 0 or −1 by bounds that it doesn't know, is one of three values to it. Two of
///   three nanoseconds of a signature pass here.
/// - Tables of P-256 and of Edwards points (`maskedLookup`): the barrier, once for a table. It is added to the
///   comparison of each entry.
/// - Division steps (`DivisionSteps`, `Limbs62`, `MontgomeryModulus.inverse(_:of:)`): the barrier, once for a batch.
///   The bit and the shift that make the masks are opaque, and so are signs.
/// - `GHASHKey`, `WideCarrylessFactor`: the barrier of the mask, kept with the key. `NarrowCarrylessFactor` selects
///   nothing.
/// - Reductions mod 2⁵²¹ − 1: no selection. A bit is subtracted.
/// - Reductions mod 2²⁵⁵ − 19: of products no selection, since a shifted bit is multiplied by 19; of sums and
///   differences the barrier of the mask.
/// - Base64: sixteen characters in a register, with comparisons of lanes, by which no jump can go; AVX-512 VBMI:
///   permutations of registers.
package struct Mask: Sendable {
  /// 0 or 2⁶⁴ − 1.
  package let word: UInt64

  /// Of a word that has passed the barrier.
  @inline(__always)
  private init(opaque word: UInt64) { self.word = word }

  /// Of a word that the compiler may know to be 0 or 2⁶⁴ − 1. The only way to a mask.
  @inline(__always)
  private init(hiding word: UInt64) { self.word = word ^ opaqueZero() }

  /// Yes.
  package static var yes: Mask {
    @inline(__always) get { Mask(opaque: ~0) }
  }

  /// No.
  package static var no: Mask {
    @inline(__always) get { Mask(opaque: 0) }
  }

  /// Yes for 1, no for 0.
  /// - Parameter bit: 0 or 1; the higher bits are ignored.
  @inline(__always)
  package init(bit: UInt64) {
    self.init(hiding: 0 &- (bit & 1))
  }

  /// Whether `value` is zero.
  @inline(__always)
  package init(isZero value: UInt64) {
    // The top bit of x | −x is set exactly when x ≠ 0.
    self.init(hiding: ((value | (0 &- value)) &>> 63) &- 1)
  }

  /// Whether `lhs` and `rhs` are the same word.
  @inline(__always)
  package init(_ lhs: UInt64, equals rhs: UInt64) {
    self.init(isZero: lhs ^ rhs)
  }

  /// Whether `lhs` < `rhs`, as unsigned words.
  @inline(__always)
  package init(_ lhs: UInt64, isLessThan rhs: UInt64) {
    // The 128-bit difference is negative exactly when lhs < rhs; its high word is then all ones, otherwise zero.
    let difference = UInt128(lhs) &- UInt128(rhs)
    self.init(hiding: UInt64(truncatingIfNeeded: difference &>> 64))
  }

  /// `first` for yes, `second` for no.
  @inline(__always)
  package func select<Word: FixedWidthInteger & UnsignedInteger>(_ first: Word, _ second: Word) -> Word {
    let mask = Word(truncatingIfNeeded: word)
    return second ^ (mask & (first ^ second))
  }

  /// `first` for yes, `second` for no. Of words, without a generic call in builds that are optimised file by file.
  @inline(__always)
  package func select(_ first: UInt64, _ second: UInt64) -> UInt64 {
    second ^ (word & (first ^ second))
  }

  /// `value` for yes, zero for no.
  @inline(__always)
  package func keep(_ value: UInt64) -> UInt64 { word & value }

  /// `value` for yes, zero for no.
  @inline(__always)
  package func keep<Word: FixedWidthInteger & UnsignedInteger>(_ value: Word) -> Word {
    Word(truncatingIfNeeded: word) & value
  }

  /// 1 for yes, 0 for no.
  @inline(__always)
  package var bit: UInt64 { word & 1 }

  /// Turns a decision about secrets into a `Bool`, which the compiler may branch on.
  ///
  /// The one step at which a decision stops being secret. Call it last, on an answer that the caller is meant to learn,
  /// and give the reason in `Tests/ConstantTime/declassified`: the check that follows secrets lets a jump pass in this
  /// function only. It is therefore neither inlined nor optimised, and what it returns is one of two constants.
  @inline(never) @_optimize(none)
  package var declassified: Bool {
    if word != 0 { return true }
    return false
  }

  /// The decision as a `Bool`, where it is about public data only.
  @inline(__always)
  package var isYesVariableTime: Bool { word != 0 }

  @inline(__always)
  package static func & (lhs: Mask, rhs: Mask) -> Mask { Mask(opaque: lhs.word & rhs.word) }

  @inline(__always)
  package static func | (lhs: Mask, rhs: Mask) -> Mask { Mask(opaque: lhs.word | rhs.word) }

  @inline(__always)
  package static func ^ (lhs: Mask, rhs: Mask) -> Mask { Mask(opaque: lhs.word ^ rhs.word) }

  @inline(__always)
  package static prefix func ~ (mask: Mask) -> Mask { Mask(opaque: ~mask.word) }
}
