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
    var column = ProductColumn(a[0], b[0])
    let t0 = column.next()
    column.add(a[0], b[1], a[1], b[0])
    let t1 = column.next()
    column.add(a[0], b[2], a[1], b[1], a[2], b[0])
    let t2 = column.next()
    column.add(a[0], b[3], a[1], b[2])
    column.add(a[2], b[1], a[3], b[0])
    let t3 = column.next()
    column.add(a[0], b[4], a[1], b[3], a[2], b[2])
    column.add(a[3], b[1], a[4], b[0])
    let t4 = column.next()
    column.add(a[0], b[5], a[1], b[4], a[2], b[3])
    column.add(a[3], b[2], a[4], b[1], a[5], b[0])
    let t5 = column.next()
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
    store(r, Words(t0, t1, t2, t3, t4, t5, t6, t7, t8), t9, t10, t11, t12, t13, t14, t15, t16, t17)
  }

  /// r ← a² mod p: the sum of aᵢaⱼ over i < j, twice, and the squares of the limbs.
  @inline(never)
  static func square(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs) {
    var column = ProductColumn(a[0], a[1])
    let x1 = column.next()
    column.add(a[0], a[2])
    let x2 = column.next()
    column.add(a[0], a[3], a[1], a[2])
    let x3 = column.next()
    column.add(a[0], a[4], a[1], a[3])
    let x4 = column.next()
    column.add(a[0], a[5], a[1], a[4], a[2], a[3])
    let x5 = column.next()
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
    let (t0, t1) = doubling.next(0, x1, square: a[0])
    let (t2, t3) = doubling.next(x2, x3, square: a[1])
    let (t4, t5) = doubling.next(x4, x5, square: a[2])
    let (t6, t7) = doubling.next(x6, x7, square: a[3])
    let (t8, t9) = doubling.next(x8, x9, square: a[4])
    let (t10, t11) = doubling.next(x10, x11, square: a[5])
    let (t12, t13) = doubling.next(x12, x13, square: a[6])
    let (t14, t15) = doubling.next(x14, x15, square: a[7])
    let (t16, t17) = doubling.next(x16, 0, square: a[8])
    store(r, Words(t0, t1, t2, t3, t4, t5, t6, t7, t8), t9, t10, t11, t12, t13, t14, t15, t16, t17)
  }

  /// r ← (low + 2⁵⁷⁶ upper) mod p: what stands from bit 521 on is added to the rest, since 2⁵²¹ ≡ 1.
  ///
  /// - The rest is at most p. The product of two integers below p is at most (p − 1)² < 2⁵²¹ (p − 1), and any integer of 576 bits is below
  ///   2⁵²¹ · 2⁵⁵, so that the upper part is below p. Together they are below 2p.
  /// - 521 = 8 · 64 + 9: a limb of the upper part is made of 55 bits of one limb of the product and 9 of the next.
  @inline(__always)
  private static func store(
    _ r: LimbRun.MutableLimbs, _ low: Words, _ t9: UInt64, _ t10: UInt64, _ t11: UInt64, _ t12: UInt64, _ t13: UInt64,
    _ t14: UInt64, _ t15: UInt64, _ t16: UInt64, _ t17: UInt64
  ) {
    let upper = Words(
      low.t8 &>> 9 | t9 &<< 55, t9 &>> 9 | t10 &<< 55, t10 &>> 9 | t11 &<< 55, t11 &>> 9 | t12 &<< 55,
      t12 &>> 9 | t13 &<< 55, t13 &>> 9 | t14 &<< 55, t14 &>> 9 | t15 &<< 55, t15 &>> 9 | t16 &<< 55,
      t16 &>> 9 | t17 &<< 55)
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

  /// r ← (a + b) mod p, for a + b < 2p: a + b + 1 has bit 521 exactly when a + b reaches p, and without that bit it is a + b − p then.
  @inline(__always)
  private static func store(_ r: LimbRun.MutableLimbs, sum a: Words, _ b: Words) {
    let sum = a.plus(b, carry: 1)
    sum.lowest521Bits.store(to: r, minus: 1 &- sum.t8 &>> 9)
  }

  /// Nine words.
  private struct Words {
    var t0, t1, t2, t3, t4, t5, t6, t7, t8: UInt64

    @inline(__always)
    init(
      _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ t5: UInt64, _ t6: UInt64, _ t7: UInt64,
      _ t8: UInt64
    ) {
      (self.t0, self.t1, self.t2, self.t3, self.t4) = (t0, t1, t2, t3, t4)
      (self.t5, self.t6, self.t7, self.t8) = (t5, t6, t7, t8)
    }

    @inline(__always)
    init(_ a: LimbRun.Limbs) {
      self.init(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])
    }

    var lowest521Bits: Words {
      @inline(__always) get { Words(t0, t1, t2, t3, t4, t5, t6, t7, t8 & 0x1ff) }
    }

    @inline(__always)
    func plus(_ b: Words, carry: UInt64) -> Words {
      var carry = carry
      let s0 = PureCryptoIntegers.add(t0, b.t0, &carry)
      let s1 = PureCryptoIntegers.add(t1, b.t1, &carry)
      let s2 = PureCryptoIntegers.add(t2, b.t2, &carry)
      let s3 = PureCryptoIntegers.add(t3, b.t3, &carry)
      let s4 = PureCryptoIntegers.add(t4, b.t4, &carry)
      let s5 = PureCryptoIntegers.add(t5, b.t5, &carry)
      let s6 = PureCryptoIntegers.add(t6, b.t6, &carry)
      let s7 = PureCryptoIntegers.add(t7, b.t7, &carry)
      let s8 = PureCryptoIntegers.add(t8, b.t8, &carry)
      return Words(s0, s1, s2, s3, s4, s5, s6, s7, s8)
    }

    @inline(__always)
    func minus(_ b: Words) -> (difference: Words, borrow: UInt64) {
      var borrow: UInt64 = 0
      let d0 = PureCryptoIntegers.subtract(t0, b.t0, &borrow)
      let d1 = PureCryptoIntegers.subtract(t1, b.t1, &borrow)
      let d2 = PureCryptoIntegers.subtract(t2, b.t2, &borrow)
      let d3 = PureCryptoIntegers.subtract(t3, b.t3, &borrow)
      let d4 = PureCryptoIntegers.subtract(t4, b.t4, &borrow)
      let d5 = PureCryptoIntegers.subtract(t5, b.t5, &borrow)
      let d6 = PureCryptoIntegers.subtract(t6, b.t6, &borrow)
      let d7 = PureCryptoIntegers.subtract(t7, b.t7, &borrow)
      let d8 = PureCryptoIntegers.subtract(t8, b.t8, &borrow)
      return (Words(d0, d1, d2, d3, d4, d5, d6, d7, d8), borrow)
    }

    /// r ← t − bit, which is not negative.
    @inline(__always)
    func store(to r: LimbRun.MutableLimbs, minus bit: UInt64) {
      let d = minus(Words(bit, 0, 0, 0, 0, 0, 0, 0, 0)).difference
      (r[0], r[1], r[2], r[3], r[4]) = (d.t0, d.t1, d.t2, d.t3, d.t4)
      (r[5], r[6], r[7], r[8]) = (d.t5, d.t6, d.t7, d.t8)
    }
  }
}
