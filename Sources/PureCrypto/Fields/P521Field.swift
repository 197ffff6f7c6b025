internal import PureCryptoIntegers

/// p = 2⁵²¹ − 1, over which P-521 is defined. R = 1: a residue is its own representative.
///
/// Source: SP 800-186 §3.2.1.5.
enum P521Field: PrimeModulus {
  static var modulus: UInt576 { UInt576(~0, ~0, ~0, ~0, ~0, ~0, ~0, ~0, 0x1ff) }
  static var bitCount: Int { 521 }
  static var one: UInt576 { UInt576(1, 0, 0, 0, 0, 0, 0, 0, 0) }
  static var radixSquared: UInt576 { one }

  /// r ← a · b mod p, column by column.
  @inline(never)
  static func multiply(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    let (low, next) = ProductColumn.lowestSix(a, b)
    var column = next
    column.add(a[0], b[6], a[1], b[5], a[2], b[4])
    column.add(a[3], b[3], a[4], b[2])
    column.add(a[5], b[1], a[6], b[0])
    let t6 = column.next()
    column.add(a[0], b[7], a[1], b[6], a[2], b[5])
    column.add(a[3], b[4], a[4], b[3], a[5], b[2])
    column.add(a[6], b[1], a[7], b[0])
    let t7 = column.next()
    column.add(a[0], b[8], a[1], b[7], a[2], b[6])
    column.add(a[3], b[5], a[4], b[4], a[5], b[3])
    column.add(a[6], b[2], a[7], b[1], a[8], b[0])
    let t8 = column.next()
    column.add(a[1], b[8], a[2], b[7], a[3], b[6])
    column.add(a[4], b[5], a[5], b[4], a[6], b[3])
    column.add(a[7], b[2], a[8], b[1])
    let t9 = column.next()
    column.add(a[2], b[8], a[3], b[7], a[4], b[6])
    column.add(a[5], b[5], a[6], b[4])
    column.add(a[7], b[3], a[8], b[2])
    let t10 = column.next()
    column.add(a[3], b[8], a[4], b[7], a[5], b[6])
    column.add(a[6], b[5], a[7], b[4], a[8], b[3])
    let t11 = column.next()
    column.add(a[4], b[8], a[5], b[7], a[6], b[6])
    column.add(a[7], b[5], a[8], b[4])
    let t12 = column.next()
    column.add(a[5], b[8], a[6], b[7])
    column.add(a[7], b[6], a[8], b[5])
    let t13 = column.next()
    column.add(a[6], b[8], a[7], b[7], a[8], b[6])
    let t14 = column.next()
    column.add(a[7], b[8], a[8], b[7])
    let t15 = column.next()
    column.add(a[8], b[8])
    let t16 = column.next()
    let t17 = column.next()
    store(r, Words(low, t6, t7, t8), t9, t10, t11, SixWords(t12, t13, t14, t15, t16, t17))
  }

  /// r ← a² mod p: the sum of aᵢaⱼ over i < j, twice, and the squares of the limbs.
  @inline(never)
  static func square(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs) {
    let (x, next) = ProductColumn.lowestSixOfPairs(a)
    var column = next
    column.add(a[0], a[6], a[1], a[5], a[2], a[4])
    let x6 = column.next()
    column.add(a[0], a[7], a[1], a[6])
    column.add(a[2], a[5], a[3], a[4])
    let x7 = column.next()
    column.add(a[0], a[8], a[1], a[7])
    column.add(a[2], a[6], a[3], a[5])
    let x8 = column.next()
    column.add(a[1], a[8], a[2], a[7])
    column.add(a[3], a[6], a[4], a[5])
    let x9 = column.next()
    column.add(a[2], a[8], a[3], a[7], a[4], a[6])
    let x10 = column.next()
    column.add(a[3], a[8], a[4], a[7], a[5], a[6])
    let x11 = column.next()
    column.add(a[4], a[8], a[5], a[7])
    let x12 = column.next()
    column.add(a[5], a[8], a[6], a[7])
    let x13 = column.next()
    column.add(a[6], a[8])
    let x14 = column.next()
    column.add(a[7], a[8])
    let x15 = column.next()
    let x16 = column.next()
    // a² < 2¹⁰⁴², so that neither the shift nor the sum loses a carry.
    var doubling = DoublingOfProducts()
    let low = doubling.next(x, squares: a)
    let middle = doubling.next(SixWords(x6, x7, x8, x9, x10, x11), squares: a + 3)
    let high = doubling.next(SixWords(x12, x13, x14, x15, x16, 0), squares: a + 6)
    store(r, Words(low, middle.t0, middle.t1, middle.t2), middle.t3, middle.t4, middle.t5, high)
  }

  /// r ← (low + 2⁵⁷⁶ upper) mod p: what stands from bit 521 on is added to the rest, since 2⁵²¹ ≡ 1.
  ///
  /// - The rest is at most p. The product of two integers below p is at most (p − 1)² < 2⁵²¹ (p − 1), and any
  ///   integer of 576 bits is below 2⁵²¹ · 2⁵⁵, so that the upper part is below p. Together they are below 2p.
  /// - 521 = 8 · 64 + 9: a limb of the upper part is made of 55 bits of one limb of the product and 9 of the next.
  @inline(__always)
  private static func store(
    _ r: LimbRun.MutableLimbs, _ low: Words, _ t9: UInt64, _ t10: UInt64, _ t11: UInt64, _ high: SixWords
  ) {
    let upper = Words(
      SixWords(
        low.t8 &>> 9 | t9 &<< 55, t9 &>> 9 | t10 &<< 55, t10 &>> 9 | t11 &<< 55, t11 &>> 9 | high.t0 &<< 55,
        high.t0 &>> 9 | high.t1 &<< 55, high.t1 &>> 9 | high.t2 &<< 55),
      high.t2 &>> 9 | high.t3 &<< 55, high.t3 &>> 9 | high.t4 &<< 55, high.t4 &>> 9 | high.t5 &<< 55)
    store(r, sum: low.lowest521Bits, upper)
  }

  /// r ← a + b mod p.
  @inline(never)
  static func add(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    store(r, sum: Words(a), Words(b))
  }

  /// r ← a − b mod p: where a < b, 2⁵²¹ is added by dropping the borrow, and 1 is taken off again.
  @inline(never)
  static func subtract(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    let (difference, borrow) = Words(a).minus(Words(b))
    difference.lowest521Bits.store(to: r, minus: borrow)
  }

  /// r ← (a + b) mod p, for a + b < 2p: a + b + 1 has bit 521 exactly when a + b reaches p, and without that bit it
  /// is a + b − p then.
  @inline(__always)
  private static func store(_ r: LimbRun.MutableLimbs, sum a: Words, _ b: Words) {
    let sum = a.plus(b, carry: 1)
    sum.lowest521Bits.store(to: r, minus: 1 &- sum.t8 &>> 9)
  }

  /// Nine words, the lowest first.
  private struct Words {
    var low: SixWords
    var t6, t7, t8: UInt64

    @inline(__always)
    init(_ low: SixWords, _ t6: UInt64, _ t7: UInt64, _ t8: UInt64) {
      (self.low, self.t6, self.t7, self.t8) = (low, t6, t7, t8)
    }

    @inline(__always)
    init(_ a: LimbRun.Limbs) {
      self.init(SixWords(a), a[6], a[7], a[8])
    }

    var lowest521Bits: Words {
      @inline(__always) get { Words(low, t6, t7, t8 & 0x1ff) }
    }

    @inline(__always)
    func plus(_ b: Words, carry: UInt64) -> Words {
      var carry = carry
      let lowest = low.plus(b.low, &carry)
      let s6 = PureCryptoIntegers.add(t6, b.t6, &carry)
      let s7 = PureCryptoIntegers.add(t7, b.t7, &carry)
      let s8 = PureCryptoIntegers.add(t8, b.t8, &carry)
      return Words(lowest, s6, s7, s8)
    }

    @inline(__always)
    func minus(_ b: Words) -> (difference: Words, borrow: UInt64) {
      var borrow: UInt64 = 0
      let lowest = low.minus(b.low, &borrow)
      let d6 = PureCryptoIntegers.subtract(t6, b.t6, &borrow)
      let d7 = PureCryptoIntegers.subtract(t7, b.t7, &borrow)
      let d8 = PureCryptoIntegers.subtract(t8, b.t8, &borrow)
      return (Words(lowest, d6, d7, d8), borrow)
    }

    /// r ← t − bit, which is not negative.
    @inline(__always)
    func store(to r: LimbRun.MutableLimbs, minus bit: UInt64) {
      let d = minus(Words(SixWords(bit, 0, 0, 0, 0, 0), 0, 0, 0)).difference
      d.low.store(to: r)
      (r[6], r[7], r[8]) = (d.t6, d.t7, d.t8)
    }
  }
}
