extension JacobianPoint {
  /// 2P. Correct for every point: infinity has Z = 0, hence Z₃ = 0, and no point of P-256 has order 2 (n is odd).
  ///
  /// With S = 4XY² and M = 3X² − 3Z⁴ = 3 (X − Z²)(X + Z²), since a = −3:
  /// X₃ = M² − 2S, Y₃ = M (S − X₃) − 8Y⁴, Z₃ = 2YZ.
  ///
  /// 4 products, 4 squarings. Source: Cohen, Miyaji, Ono, "Efficient elliptic curve exponentiation", 1998, §3.
  @inline(__always)
  var doubled: JacobianPoint {
    let y2 = y.doubled  //                          2Y
    let zz = z.squared  //                          Z²
    let yy4 = y2.squared  //                        4Y²
    let z3 = y2 * z  //                             2YZ
    let m1 = (x - zz) * (x + zz)  //                X² − Z⁴
    let m = m1.doubled + m1  //                     M
    let s = yy4 * x  //                             S = 4XY²
    let y4 = yy4.squared.halved  //                 8Y⁴ = (4Y²)² / 2
    let x3 = m.squared - s.doubled  //              M² − 2S
    let y3 = m * (s - x3) - y4  //                  M (S − X₃) − 8Y⁴
    return JacobianPoint(x: x3, y: y3, z: z3)
  }

  /// P ← 2P, out of line: loops of doublings stay small.
  @inline(never)
  mutating func double() {
    self = doubled
  }

  /// P + Q where Z of Q is 1, unless P is infinity or P = ±Q: `h` is zero then, or Z is, and the sum is meaningless.
  ///
  /// With H = X₂Z₁² − X₁ and r = Y₂Z₁³ − Y₁:
  /// X₃ = r² − H³ − 2X₁H², Y₃ = r (X₁H² − X₃) − Y₁H³, Z₃ = Z₁H.
  ///
  /// 8 products, 3 squarings. Source: Cohen, Miyaji, Ono, 1998, §2, with Z₂ = 1.
  @inline(__always)
  func incompleteSum(_ q: AffinePoint) -> (sum: JacobianPoint, h: FieldElement, r: FieldElement) {
    let zz = z.squared  //                          Z₁²
    let h = q.x * zz - x  //                        H
    let r = q.y * (zz * z) - y  //                  r
    let hh = h.squared  //                          H²
    let hhh = hh * h  //                            H³
    let v = x * hh  //                              X₁H²
    let x3 = r.squared - hhh - v.doubled  //        r² − H³ − 2X₁H²
    let y3 = r * (v - x3) - y * hhh  //             r (X₁H² − X₃) − Y₁H³
    return (JacobianPoint(x: x3, y: y3, z: z * h), h, r)
  }

  /// P + Q, unless one of them is infinity or P = ±Q: `h` is zero then, or a Z is, and the sum is meaningless.
  ///
  /// With U₁ = X₁Z₂², U₂ = X₂Z₁², S₁ = Y₁Z₂³, S₂ = Y₂Z₁³, H = U₂ − U₁ and r = S₂ − S₁:
  /// X₃ = r² − H³ − 2U₁H², Y₃ = r (U₁H² − X₃) − S₁H³, Z₃ = Z₁Z₂H.
  ///
  /// 12 products, 4 squarings. Source: Cohen, Miyaji, Ono, 1998, §2.
  @inline(__always)
  func incompleteSum(_ q: JacobianPoint) -> (sum: JacobianPoint, h: FieldElement, r: FieldElement) {
    let zz1 = z.squared  //                         Z₁²
    let zz2 = q.z.squared  //                       Z₂²
    let u1 = x * zz2  //                            U₁
    let s1 = y * (zz2 * q.z)  //                    S₁
    let h = q.x * zz1 - u1  //                      H
    let r = q.y * (zz1 * z) - s1  //                r
    let hh = h.squared  //                          H²
    let hhh = hh * h  //                            H³
    let v = u1 * hh  //                             U₁H²
    let x3 = r.squared - hhh - v.doubled  //        r² − H³ − 2U₁H²
    let y3 = r * (v - x3) - s1 * hhh  //            r (U₁H² − X₃) − S₁H³
    return (JacobianPoint(x: x3, y: y3, z: (z * q.z) * h), h, r)
  }
}

extension JacobianPoint {
  /// P + Q for all points. For public points only: the exceptional cases branch.
  func sumVariableTime(_ q: AffinePoint) -> JacobianPoint {
    if isInfinity.declassified { return JacobianPoint(q) }
    let (sum, h, r) = incompleteSum(q)
    guard h.isZero.declassified else { return sum }
    // Same x-coordinate: Q = P when the y-coordinates agree as well, else Q = −P.
    return r.isZero.declassified ? doubled : .infinity
  }

  /// P + Q for all points. For public points only: the exceptional cases branch.
  func sumVariableTime(_ q: JacobianPoint) -> JacobianPoint {
    if isInfinity.declassified { return q }
    if q.isInfinity.declassified { return self }
    let (sum, h, r) = incompleteSum(q)
    guard h.isZero.declassified else { return sum }
    return r.isZero.declassified ? doubled : .infinity
  }
}
