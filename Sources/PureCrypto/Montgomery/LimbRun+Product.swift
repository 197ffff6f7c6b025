internal import PureCryptoIntegers

extension LimbRun {
  /// t ← t + a · w + carry on `count` limbs of a and of t.
  /// - Returns: the limb above: t + a · w + carry < 2^(64 (count + 1)).
  @inline(__always)
  static func addProduct(_ t: MutableLimbs, _ a: Limbs, _ w: UInt64, carry: UInt64 = 0, count: Int) -> UInt64 {
    var carry = carry
    var index = 0
    while index &+ 4 <= count {
      t[index] = multiplyAdd(a[index], w, t[index], &carry)
      t[index &+ 1] = multiplyAdd(a[index &+ 1], w, t[index &+ 1], &carry)
      t[index &+ 2] = multiplyAdd(a[index &+ 2], w, t[index &+ 2], &carry)
      t[index &+ 3] = multiplyAdd(a[index &+ 3], w, t[index &+ 3], &carry)
      index &+= 4
    }
    while index < count {
      t[index] = multiplyAdd(a[index], w, t[index], &carry)
      index &+= 1
    }
    return carry
  }

  /// t ← t + a · (w₀ + 2⁶⁴ w₁) + carry on `count` ≥ 1 limbs of a and of t.
  /// - Returns: the two limbs above. Nothing is lost:
  ///   (2^(64 count) − 1) (2¹²⁸ − 1) + 2^(64 count) − 1 + 2⁶⁴ − 1 < 2^(64 (count + 2)).
  ///
  /// Limb i gets aᵢ w₀ and aᵢ₋₁ w₁, each with a carry of its own: two chains that the processor works off
  /// at the same time, with half the loads and stores of one row after the other.
  @inline(__always)
  static func addProduct(
    _ t: MutableLimbs, _ a: Limbs, _ w0: UInt64, _ w1: UInt64, carry: UInt64 = 0, count: Int
  ) -> (low: UInt64, high: UInt64) {
    var carry0 = carry
    var carry1: UInt64 = 0
    var below = a[0]
    t[0] = multiplyAdd(below, w0, t[0], &carry0)
    var index = 1
    while index &+ 2 <= count {
      let first = a[index]
      let second = a[index &+ 1]
      t[index] = multiplyAdd(below, w1, multiplyAdd(first, w0, t[index], &carry0), &carry1)
      t[index &+ 1] = multiplyAdd(first, w1, multiplyAdd(second, w0, t[index &+ 1], &carry0), &carry1)
      below = second
      index &+= 2
    }
    if index < count {
      let last = a[index]
      t[index] = multiplyAdd(below, w1, multiplyAdd(last, w0, t[index], &carry0), &carry1)
      below = last
    }
    let low = multiplyAdd(below, w1, carry0, &carry1)
    return (low, carry1)
  }

  /// t ← a · b: t has aCount + bCount limbs and overlaps neither.
  static func product(_ t: MutableLimbs, _ a: Limbs, aCount: Int, _ b: Limbs, bCount: Int) {
    t.update(repeating: 0, count: aCount)
    var row = 0
    // The rows so far are a · (b mod 2^(64 row)) < 2^(64 (aCount + row)): the limbs above them are new.
    while row &+ 2 <= bCount {
      let above = addProduct(t + row, a, b[row], b[row &+ 1], count: aCount)
      t[aCount &+ row] = above.low
      t[aCount &+ row &+ 1] = above.high
      row &+= 2
    }
    if row < bCount { t[aCount &+ row] = addProduct(t + row, a, b[row], count: aCount) }
  }

  /// t ← a²: t has 2 · count limbs and does not overlap a. aᵢaⱼ and aⱼaᵢ are one product, doubled.
  static func square(_ t: MutableLimbs, _ a: Limbs, count: Int) {
    t.update(repeating: 0, count: 2 &* count)
    // The sum of aᵢaⱼ 2^(64(i + j)) over i < j, two rows at a time: aᵢaᵢ₊₁ at limb 2i + 1, and from limb
    // 2i + 2 on (aᵢ + 2⁶⁴ aᵢ₊₁) times the limbs above both, which ends below limb i + count + 2. What is
    // there already ends below limb i + count.
    var row = 0
    while row &+ 2 < count {
      var carry: UInt64 = 0
      t[2 &* row &+ 1] = multiplyAdd(a[row], a[row &+ 1], t[2 &* row &+ 1], &carry)
      let above = addProduct(
        t + (2 &* row &+ 2), a + (row &+ 2), a[row], a[row &+ 1], carry: carry, count: count &- row &- 2)
      t[count &+ row] = above.low
      t[count &+ row &+ 1] = above.high
      row &+= 2
    }
    if row &+ 2 == count {
      var carry: UInt64 = 0
      t[2 &* row &+ 1] = multiplyAdd(a[row], a[row &+ 1], t[2 &* row &+ 1], &carry)
      t[2 &* row &+ 2] = carry
    }
    // Twice that, and aᵢ² at limb 2i: a² < 2^(128 count), so that neither the shift nor the sum loses a carry.
    var shifted: UInt64 = 0
    var carry: UInt64 = 0
    for index in 0..<count {
      let low = t[2 &* index]
      let high = t[2 &* index &+ 1]
      let diagonal = multiply(a[index], a[index])
      t[2 &* index] = add(low &<< 1 | shifted, diagonal.low, &carry)
      t[2 &* index &+ 1] = add(high &<< 1 | low &>> 63, diagonal.high, &carry)
      shifted = high &>> 63
    }
  }
}
