internal import PureCryptoIntegers

/// p = 2³⁸⁴ − c with c = 2¹²⁸ + 2⁹⁶ − 2³² + 1, over which P-384 is defined. Montgomery form with
/// R = 2³⁸⁴.
///
/// Source: SP 800-186 §3.2.1.4.
enum P384Field: PrimeModulus {
  static var modulus: UInt384 {
    UInt384(
      0x0000_0000_ffff_ffff, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_fffe, 0xffff_ffff_ffff_ffff,
      0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff)
  }
  static var bitCount: Int { 384 }
  /// R mod p = c.
  static var one: UInt384 { UInt384(c0, c1, 1, 0, 0, 0) }
  static var radixSquared: UInt384 {
    UInt384(
      0xffff_fffe_0000_0001, 0x0000_0002_0000_0000, 0xffff_fffe_0000_0000, 0x0000_0002_0000_0000, 1, 0)
  }

  /// c = c₀ + 2⁶⁴ c₁ + 2¹²⁸.
  fileprivate static var c0: UInt64 { 0xffff_ffff_0000_0001 }
  fileprivate static var c1: UInt64 { 0x0000_0000_ffff_ffff }

  /// r ← a · b · R⁻¹ mod p, column by column.
  @inline(never)
  static func multiply(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    let (lowest, next) = ProductColumn.lowestSix(a, b)
    var (low, column) = (lowest, next)
    column.add(a[1], b[5], a[2], b[4])
    column.add(a[3], b[3], a[4], b[2], a[5], b[1])
    let t6 = column.next()
    column.add(a[2], b[5], a[3], b[4])
    column.add(a[4], b[3], a[5], b[2])
    let t7 = column.next()
    column.add(a[3], b[5], a[4], b[4], a[5], b[3])
    let t8 = column.next()
    column.add(a[4], b[5], a[5], b[4])
    let t9 = column.next()
    column.add(a[5], b[5])
    let t10 = column.next()
    let t11 = column.next()
    low.reduce()
    store(r, sum: low, SixWords(t6, t7, t8, t9, t10, t11))
  }

  /// r ← a² · R⁻¹ mod p: the sum of aᵢaⱼ over i < j, twice, and the squares of the limbs.
  @inline(never)
  static func square(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs) {
    let (x, next) = ProductColumn.lowestSixOfPairs(a)
    var column = next
    column.add(a[1], a[5], a[2], a[4])
    let x6 = column.next()
    column.add(a[2], a[5], a[3], a[4])
    let x7 = column.next()
    column.add(a[3], a[5])
    let x8 = column.next()
    column.add(a[4], a[5])
    let x9 = column.next()
    let x10 = column.next()
    // a² < 2⁷⁶⁸, so that neither the shift nor the sum loses a carry.
    var doubling = DoublingOfProducts()
    var low = doubling.next(x, squares: a)
    let high = doubling.next(SixWords(x6, x7, x8, x9, x10, 0), squares: a + 3)
    low.reduce()
    store(r, sum: low, high)
  }

  /// r ← a + b mod p.
  @inline(never)
  static func add(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    store(r, sum: SixWords(a), SixWords(b))
  }

  /// r ← a − b mod p: where a < b, 2³⁸⁴ is taken back by the borrow, and c with it.
  @inline(never)
  static func subtract(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    var borrow: UInt64 = 0
    let d = SixWords(a).minus(SixWords(b), &borrow)
    d.store(to: r, minusIf: Mask(bit: borrow))
  }

  /// r ← (a + b) mod p, for a + b < 2p: the sum with c reaches 2³⁸⁴ exactly when a + b reaches p, and what
  /// remains then is a + b − p.
  @inline(__always)
  private static func store(_ r: LimbRun.MutableLimbs, sum a: SixWords, _ b: SixWords) {
    var high: UInt64 = 0
    let sum = a.plus(b, &high)
    var carry: UInt64 = 0
    let moved = sum.plus(SixWords(c0, c1, 1, 0, 0, 0), &carry)
    moved.store(to: r, minusIf: ~Mask(bit: high | carry))
  }
}

extension SixWords {
  /// r ← t − c mod 2³⁸⁴ for yes, t for no.
  @inline(__always)
  fileprivate func store(to r: LimbRun.MutableLimbs, minusIf mask: Mask) {
    var borrow: UInt64 = 0
    let d = minus(SixWords(mask.keep(P384Field.c0), mask.keep(P384Field.c1), mask.bit, 0, 0, 0), &borrow)
    d.store(to: r)
  }

  /// t ← t · R⁻¹ mod p, at most p: six times t ← (t + m·p) / 2⁶⁴ with the m that makes the sum divisible.
  ///
  /// From t < 2³⁸⁴ follows t ≤ p + 2⁶⁵ after one step, p + 2 after two, p after three.
  @inline(__always)
  fileprivate mutating func reduce() {
    reduceWord()
    reduceWord()
    reduceWord()
    reduceWord()
    reduceWord()
    reduceWord()
  }

  /// t ← (t + m·p) / 2⁶⁴ with m = t₀ · (2³² + 1), since p (2³² + 1) ≡ −1 mod 2⁶⁴.
  ///
  /// No product is needed: with 2³² m = low + 2⁶⁴ high
  ///
  ///     m·p = 2³⁸⁴ m − c m
  ///     c m = m − 2³² m + 2⁹⁶ m + 2¹²⁸ m
  ///         = (m − low) + 2⁶⁴ (low − high) + 2¹²⁸ (m + high)
  ///
  /// whose lowest word is t₀.
  @inline(__always)
  private mutating func reduceWord() {
    let m = t0 &+ t0 &<< 32
    let low = m &<< 32
    let high = m &>> 32
    var borrow: UInt64 = 0
    _ = PureCryptoIntegers.subtract(m, low, &borrow)
    let v1 = PureCryptoIntegers.subtract(low, high, &borrow)
    var v3: UInt64 = 0
    var v2 = PureCryptoIntegers.add(m, high, &v3)
    v2 = PureCryptoIntegers.subtract(v2, 0, &borrow)
    v3 = v3 &- borrow  // 0 or 1: c m is not negative
    borrow = 0
    t0 = PureCryptoIntegers.subtract(t1, v1, &borrow)
    t1 = PureCryptoIntegers.subtract(t2, v2, &borrow)
    t2 = PureCryptoIntegers.subtract(t3, v3, &borrow)
    t3 = PureCryptoIntegers.subtract(t4, 0, &borrow)
    t4 = PureCryptoIntegers.subtract(t5, 0, &borrow)
    t5 = m &- borrow  // t + m·p is not negative
  }
}
