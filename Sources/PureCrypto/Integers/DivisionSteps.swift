internal import PureCryptoIntegers

/// The effect of a batch of division steps: (f, g) becomes (u f + v g, q f + r g) / 2⁶².
///
/// Invariant: |u| + |v| ≤ 2⁶² and |q| + |r| ≤ 2⁶², since a step at most doubles these sums.
/// See ``ModularInversion``.
struct DivisionSteps {
  let u: Int64
  let v: Int64
  let q: Int64
  let r: Int64

  /// 59 steps on the lowest words of f and g, without a decision.
  /// - Parameter zeta: −(δ + 1/2), before and after. |ζ| stays below 2¹⁰ in 590 steps.
  ///
  /// Timing: does not depend on the values.
  @inline(__always)
  init(count59 zeta: inout Int64, f f0: Int64, g g0: Int64) {
    var f = f0
    var g = g0
    let first = DivisionSteps(count: 30, &zeta, &f, &g)
    // Of 64 bits that were known, 30 are used up; 29 more are needed.
    let second = DivisionSteps(count: 29, &zeta, &f, &g)
    // second · first, times 2³ to make the scale 2⁶² = 2³⁰⁺²⁹⁺³.
    self.u = (second.u &* first.u &+ second.v &* first.q) &<< 3
    self.v = (second.u &* first.v &+ second.v &* first.r) &<< 3
    self.q = (second.q &* first.u &+ second.r &* first.q) &<< 3
    self.r = (second.q &* first.v &+ second.r &* first.r) &<< 3
  }

  /// Up to 30 steps, scaled by 2^count.
  ///
  /// u and v travel as one integer u + 2³² v, q and r likewise: each step only adds, negates and doubles them, and
  /// the sums
  /// |u| + |v| ≤ 2³⁰ and |q| + |r| ≤ 2³⁰ keep them apart.
  @inline(__always)
  private init(count: Int, _ zeta: inout Int64, _ f: inout Int64, _ g: inout Int64) {
    var uv: Int64 = 1
    var qr: Int64 = 1 &<< 32
    // 1 and 63 whose values the compiler can't know, nor that the masks below have two values.
    let zero = Int64(bitPattern: opaqueZero())
    let lowestBit = 1 ^ zero
    let signShift = 63 ^ zero
    var step = 0
    while step < count {
      let isPositive = zeta &>> signShift  // −1 when δ > 0
      let isOdd = 0 &- (g & lowestBit)  // −1 when g is odd
      // g ← g ∓ f when g is odd: minus when δ > 0. The coefficients follow.
      g = g &+ ((f ^ isPositive) &- isPositive) & isOdd
      qr = qr &+ ((uv ^ isPositive) &- isPositive) & isOdd
      // δ > 0 and g odd: f ← old g, which is the new g + f; and δ ← 1 − δ, or ζ ← −ζ − 2. Otherwise
      // ζ ← ζ − 1.
      let isSwap = isPositive & isOdd
      f = f &+ g & isSwap
      uv = uv &+ qr & isSwap
      zeta = (zeta ^ isSwap) &- 1
      // g ← g / 2: the scale doubles instead of q and r being halved.
      g = g &>> 1
      uv = uv &<< 1
      step &+= 1
    }
    // The lower halves are signed: what they borrowed from the upper ones is given back.
    self.u = Int64(Int32(truncatingIfNeeded: uv))
    self.v = (uv &- u) &>> 32
    self.q = Int64(Int32(truncatingIfNeeded: qr))
    self.r = (qr &- q) &>> 32
  }

  /// 62 steps on the lowest words of f and g. For public values.
  ///
  /// All steps until g is odd are one shift. Then, after a swap if δ > 0, as many of the lowest bits of g as possible
  /// are cleared at once, by adding a multiple w of f: w = −g / f modulo a power of two.
  /// - Parameter eta: −δ, before and after.
  @inline(__always)
  init(count62VariableTime eta: inout Int64, f f0: Int64, g g0: Int64) {
    var u: Int64 = 1
    var v: Int64 = 0
    var q: Int64 = 0
    var r: Int64 = 1
    var f = f0
    var g = g0
    var remaining: Int64 = 62
    while true {
      // A guard bit at `remaining` stops the count.
      let zeros = Int64(truncatingIfNeeded: (g | -1 &<< remaining).trailingZeroBitCount)
      g = g &>> zeros
      u = u &<< zeros
      v = v &<< zeros
      eta = eta &- zeros
      remaining = remaining &- zeros
      if remaining == 0 { break }
      if eta < 0 {
        // δ > 0, g odd: (f, g) ← (g, −f), δ ← −δ
        eta = 0 &- eta
        (f, g) = (g, 0 &- f)
        (u, q) = (q, 0 &- u)
        (v, r) = (r, 0 &- v)
      }
      // No swap can occur in the next η + 1 steps, so their additions of f add up to one multiple. f (f² − 2) is
      // −f⁻¹ mod 2⁶, since f² ≡ 1 mod 8: 1 + f² (f² − 2) = (f² − 1)² ≡ 0 mod 64.
      let limit = min(eta &+ 1, remaining, 6)
      let w = (f &* g &* (f &* f &- 2)) & ((1 &<< limit) &- 1)
      g = g &+ f &* w
      q = q &+ u &* w
      r = r &+ v &* w
    }
    (self.u, self.v, self.q, self.r) = (u, v, q, r)
  }

  /// (f, g) ← (u f + v g, q f + r g) / 2⁶². Both are divisible.
  ///
  /// Each partial sum is below (|u| + |v|) 2⁶² + carry ≤ 2¹²⁴ + 2⁶³ in absolute value.
  @inline(__always)
  func apply(to f: inout Limbs62, _ g: inout Limbs62) {
    var cf = (multiply(u, f.l0) &+ multiply(v, g.l0)) &>> 62
    var cg = (multiply(q, f.l0) &+ multiply(r, g.l0)) &>> 62
    cf = cf &+ multiply(u, f.l1) &+ multiply(v, g.l1)
    cg = cg &+ multiply(q, f.l1) &+ multiply(r, g.l1)
    let f0 = lowBits62(cf)
    let g0 = lowBits62(cg)
    cf = cf &>> 62 &+ multiply(u, f.l2) &+ multiply(v, g.l2)
    cg = cg &>> 62 &+ multiply(q, f.l2) &+ multiply(r, g.l2)
    let f1 = lowBits62(cf)
    let g1 = lowBits62(cg)
    cf = cf &>> 62 &+ multiply(u, f.l3) &+ multiply(v, g.l3)
    cg = cg &>> 62 &+ multiply(q, f.l3) &+ multiply(r, g.l3)
    let f2 = lowBits62(cf)
    let g2 = lowBits62(cg)
    cf = cf &>> 62 &+ multiply(u, f.l4) &+ multiply(v, g.l4)
    cg = cg &>> 62 &+ multiply(q, f.l4) &+ multiply(r, g.l4)
    f = Limbs62(f0, f1, f2, lowBits62(cf), Int64(truncatingIfNeeded: cf &>> 62))
    g = Limbs62(g0, g1, g2, lowBits62(cg), Int64(truncatingIfNeeded: cg &>> 62))
  }

  /// (d, e) ← (u d + v e, q d + r e) / 2⁶² mod m.
  ///
  /// To be divisible, multiples kd and ke of m are added. With d, e in (−2m, m), adding m first where one of them is
  /// negative brings the sum into (−2⁶² m, 2⁶² m); then −k with 0 ≤ k < 2⁶² for divisibility, and the
  /// result is in (−2m, m) again.
  @inline(__always)
  func apply(
    toCofactors d: inout Limbs62, _ e: inout Limbs62, modulus m: Limbs62, modulusInverse: Int64
  ) {
    var kd = u & d.sign &+ v & e.sign
    var ke = q & d.sign &+ r & e.sign
    var cd = multiply(u, d.l0) &+ multiply(v, e.l0)
    var ce = multiply(q, d.l0) &+ multiply(r, e.l0)
    // kd ≡ −cd / m mod 2⁶²
    kd = kd &- ((modulusInverse &* Int64(truncatingIfNeeded: cd) &+ kd) & Limbs62.mask)
    ke = ke &- ((modulusInverse &* Int64(truncatingIfNeeded: ce) &+ ke) & Limbs62.mask)
    cd = (cd &+ multiply(m.l0, kd)) &>> 62
    ce = (ce &+ multiply(m.l0, ke)) &>> 62
    cd = cd &+ multiply(u, d.l1) &+ multiply(v, e.l1) &+ multiply(m.l1, kd)
    ce = ce &+ multiply(q, d.l1) &+ multiply(r, e.l1) &+ multiply(m.l1, ke)
    let d0 = lowBits62(cd)
    let e0 = lowBits62(ce)
    cd = cd &>> 62 &+ multiply(u, d.l2) &+ multiply(v, e.l2) &+ multiply(m.l2, kd)
    ce = ce &>> 62 &+ multiply(q, d.l2) &+ multiply(r, e.l2) &+ multiply(m.l2, ke)
    let d1 = lowBits62(cd)
    let e1 = lowBits62(ce)
    cd = cd &>> 62 &+ multiply(u, d.l3) &+ multiply(v, e.l3) &+ multiply(m.l3, kd)
    ce = ce &>> 62 &+ multiply(q, d.l3) &+ multiply(r, e.l3) &+ multiply(m.l3, ke)
    let d2 = lowBits62(cd)
    let e2 = lowBits62(ce)
    cd = cd &>> 62 &+ multiply(u, d.l4) &+ multiply(v, e.l4) &+ multiply(m.l4, kd)
    ce = ce &>> 62 &+ multiply(q, d.l4) &+ multiply(r, e.l4) &+ multiply(m.l4, ke)
    d = Limbs62(d0, d1, d2, lowBits62(cd), Int64(truncatingIfNeeded: cd &>> 62))
    e = Limbs62(e0, e1, e2, lowBits62(ce), Int64(truncatingIfNeeded: ce &>> 62))
  }
}

extension Limbs62 {
  /// −1 for a negative integer, else 0.
  ///
  /// Opaque to the compiler, as a ``Mask`` is.
  @inline(__always)
  var sign: Int64 { l4 &>> 63 ^ Int64(bitPattern: opaqueZero()) }
}
