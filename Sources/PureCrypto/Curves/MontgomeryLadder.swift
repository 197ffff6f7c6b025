internal import PureCryptoIntegers

/// Two neighbouring multiples of a point, (x₂ : z₂) and (x₃ : z₃): for each bit of a scalar, from the highest,
/// the one is doubled and both are added, exchanged before and after when the bit is set.
///
/// Timing: depends on nothing.
/// Source: RFC 7748 §5.
struct MontgomeryLadder {
  let x1: FieldElement25519
  var x2 = FieldElement25519.one
  var z2 = FieldElement25519.zero
  var x3: FieldElement25519
  var z3 = FieldElement25519.one

  init(_ u: FieldElement25519) { (x1, x3) = (u, u) }

  /// - Parameter k: below 2²⁵⁵.
  @inline(never)
  mutating func climb(_ k: UInt256) {
    var swapped: UInt64 = 0
    for position in (0..<255).reversed() {
      let bit = k.bit(at: position)
      exchange(if: Mask(bit: swapped ^ bit))
      swapped = bit
      step()
    }
    exchange(if: Mask(bit: swapped))
  }

  @inline(__always)
  private mutating func exchange(if mask: Mask) {
    FieldElement25519.swap(if: mask, &x2, &x3)
    FieldElement25519.swap(if: mask, &z2, &z3)
  }

  /// In the letters of RFC 7748 §5.
  @inline(__always)
  private mutating func step() {
    let a = x2 ∔ z2
    let aa = a.squared
    let b = x2 ∸ z2
    let bb = b.squared
    let e = aa ∸ bb
    let da = (x3 ∸ z3) * a
    let cb = (x3 ∔ z3) * b
    x2 = aa * bb
    // a24 = (486662 − 2) / 4 = 121665
    z2 = e * (aa ∔ e * 121_665)
    x3 = (da ∔ cb).squared
    z3 = x1 * (da ∸ cb).squared
  }
}

extension UInt256 {
  /// The bit at a position from 0 to 255, which is public.
  @inline(__always)
  fileprivate func bit(at position: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: position & 63)
    return switch position &>> 6 {
    case 0: l0 &>> shift & 1
    case 1: l1 &>> shift & 1
    case 2: l2 &>> shift & 1
    default: l3 &>> shift & 1
    }
  }
}
