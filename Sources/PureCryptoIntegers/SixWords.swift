/// Six words, the lowest first: an integer of P-384, or the lower part of one of P-521.
@frozen
public struct SixWords {
  /// t = t₀ + 2⁶⁴ t₁ + … + 2³²⁰ t₅.
  public var t0, t1, t2, t3, t4, t5: UInt64

  /// Six words.
  @inlinable @inline(__always)
  public init(_ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ t5: UInt64) {
    (self.t0, self.t1, self.t2, self.t3, self.t4, self.t5) = (t0, t1, t2, t3, t4, t5)
  }

  /// The six lowest limbs of an integer that has at least six.
  @inlinable @inline(__always)
  public init(_ a: UnsafePointer<UInt64>) {
    self.init(a[0], a[1], a[2], a[3], a[4], a[5])
  }

  /// t + b + carry mod 2³⁸⁴. Leaves the new carry, 0 or 1.
  @inlinable @inline(__always)
  public func plus(_ b: SixWords, _ carry: inout UInt64) -> SixWords {
    let s0 = add(t0, b.t0, &carry)
    let s1 = add(t1, b.t1, &carry)
    let s2 = add(t2, b.t2, &carry)
    let s3 = add(t3, b.t3, &carry)
    let s4 = add(t4, b.t4, &carry)
    let s5 = add(t5, b.t5, &carry)
    return SixWords(s0, s1, s2, s3, s4, s5)
  }

  /// t − b − borrow mod 2³⁸⁴. Leaves the new borrow, 0 or 1.
  @inlinable @inline(__always)
  public func minus(_ b: SixWords, _ borrow: inout UInt64) -> SixWords {
    let d0 = subtract(t0, b.t0, &borrow)
    let d1 = subtract(t1, b.t1, &borrow)
    let d2 = subtract(t2, b.t2, &borrow)
    let d3 = subtract(t3, b.t3, &borrow)
    let d4 = subtract(t4, b.t4, &borrow)
    let d5 = subtract(t5, b.t5, &borrow)
    return SixWords(d0, d1, d2, d3, d4, d5)
  }

  /// Writes the six lowest limbs.
  @inlinable @inline(__always)
  public func store(to r: UnsafeMutablePointer<UInt64>) {
    (r[0], r[1], r[2], r[3], r[4], r[5]) = (t0, t1, t2, t3, t4, t5)
  }
}
