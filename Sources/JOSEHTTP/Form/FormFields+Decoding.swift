extension FormFields {
  /// Reads the body of a form, or the query of a URI.
  ///
  /// Fields are separated by `&`, and a field's first `=` ends its name. `+` is a space. No bytes make no fields; an empty
  /// field, an empty name or a field without `=` is refused, as are bytes outside printable ASCII.
  /// - Throws: ``HTTPValueError/Code/limitExceeded``, ``HTTPValueError/Code/malformedForm``,
  ///   ``HTTPValueError/Code/malformedPercentEncoding``, ``HTTPValueError/Code/invalidUTF8``, and
  ///   ``HTTPValueError/Code/duplicateField`` if duplicates are refused.
  public init(
    decoding body: some Collection<UInt8>, limits: FormLimits = .default, duplicates: DuplicatePolicy = .refused
  ) throws(HTTPValueError) {
    guard body.count <= limits.maximumByteCount else {
      throw HTTPValueError(.limitExceeded, "the form is longer than the limit")
    }
    self.init()
    let bytes = Array(body)
    guard !bytes.isEmpty else { return }
    var fieldStart = 0
    while fieldStart <= bytes.count {
      let fieldEnd = bytes[fieldStart...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
      guard fields.count < limits.maximumFieldCount else {
        throw HTTPValueError(.limitExceeded, "the form has more fields than the limit")
      }
      let field = bytes[fieldStart..<fieldEnd]
      guard let nameEnd = field.firstIndex(of: UInt8(ascii: "=")), nameEnd > fieldStart else {
        throw HTTPValueError(.malformedForm, "a form field is not of the shape name=value")
      }
      append(
        try PercentEncoding.decode(field[..<nameEnd], plusIsSpace: true),
        try PercentEncoding.decode(field[(nameEnd + 1)...], plusIsSpace: true))
      fieldStart = fieldEnd + 1
    }
    if duplicates.isRefusing, hasDuplicateName {
      throw HTTPValueError(.duplicateField, "a form field occurs more than once")
    }
  }

  /// Sorts by bytes, so that many fields cost n log n comparisons at worst.
  private var hasDuplicateName: Bool {
    let names = fields.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return zip(names, names.dropFirst()).contains { $0.hasSameBytes(as: $1) }
  }
}
