extension FieldElement {
  /// a⁻¹ mod p, and 0 for 0.
  ///
  /// Timing: does not depend on a.
  var inverted: FieldElement {
    @inline(never) get { FieldElement(residue: ModularInversion.field.inverse(of: residue)) }
  }

  /// a⁻¹ mod p, and 0 for 0. For public elements.
  @inline(never)
  func invertedVariableTime() -> FieldElement {
    FieldElement(residue: ModularInversion.field.inverseVariableTime(of: residue))
  }
}
