extension Scalar {
  /// a⁻¹ mod n, and 0 for 0.
  ///
  /// Timing: does not depend on a.
  var inverted: Scalar {
    @inline(never) get { Scalar(residue: ModularInversion.scalar.inverse(of: residue)) }
  }

  /// a⁻¹ mod n, and 0 for 0. For public scalars.
  @inline(never)
  func invertedVariableTime() -> Scalar {
    Scalar(residue: ModularInversion.scalar.inverseVariableTime(of: residue))
  }
}
