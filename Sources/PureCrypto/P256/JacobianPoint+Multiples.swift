extension JacobianPoint {
  /// P, 2P, 3P, … `count` multiples of a public point.
  static func multiplesVariableTime(_ point: JacobianPoint, count: Int) -> [JacobianPoint] {
    let (double, same) = firstTwo(point)
    return [same] + progression(from: double, step: same, count: count - 1)
  }

  /// P, 3P, 5P, … `count` odd multiples of a public point.
  static func oddMultiplesVariableTime(_ point: JacobianPoint, count: Int) -> [JacobianPoint] {
    let (double, same) = firstTwo(point)
    return progression(from: same, step: double, count: count)
  }

  @inline(never)
  private static func firstTwo(_ point: JacobianPoint) -> (double: JacobianPoint, same: JacobianPoint) {
    point.doubledWithUpdate
  }

  /// P, P + D, P + 2D, … Two points with the same Z are added with 5 products and 2 squarings, and D gets the Z of the sum in
  /// passing ("co-Z").
  ///
  /// With C = (X₁ − X₂)², for D = (X₁, Y₁) and P = (X₂, Y₂): W₁ = X₁C, W₂ = X₂C, A = Y₁ (W₁ − W₂),
  /// X₃ = (Y₁ − Y₂)² − W₁ − W₂, Y₃ = (Y₁ − Y₂)(W₁ − X₃) − A, Z₃ = Z (X₁ − X₂), and D = (W₁, A) with that Z.
  ///
  /// - Parameter first: with the same Z as `step`. Neither it nor any term but the last may be ±D or infinity: so it is with
  ///   small multiples of one point.
  /// Source: N. Meloni, "New point addition formulae for ECC applications", 2007.
  private static func progression(from first: JacobianPoint, step: JacobianPoint, count: Int) -> [JacobianPoint] {
    var terms: [JacobianPoint] = []
    terms.reserveCapacity(count + 1)
    var term = first
    var step = step
    terms.append(term)
    while terms.count < count {
      let dx = step.x - term.x  //                  X₁ − X₂
      let dy = step.y - term.y  //                  Y₁ − Y₂
      let c = dx.squared  //                        C
      let w1 = step.x * c  //                       W₁
      let w2 = term.x * c  //                       W₂
      let a = step.y * (w1 - w2)  //                A
      let x3 = dy.squared - w1 - w2  //             X₃
      let y3 = dy * (w1 - x3) - a  //               Y₃
      let z3 = step.z * dx  //                      Z₃
      term = JacobianPoint(x: x3, y: y3, z: z3)
      step = JacobianPoint(x: w1, y: a, z: z3)
      terms.append(term)
    }
    return terms
  }
}
