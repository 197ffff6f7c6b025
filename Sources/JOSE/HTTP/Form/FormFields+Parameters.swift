extension FormFields {
  /// Reads the parameters that a browser or an OAuth client brings. Software on the way adds fields of its own, such as
  /// `&flag` or an empty one, which must not refuse a whole login.
  ///
  /// A field is dropped if it is empty, has no value or can't be decoded, unless it has the name of a parameter. What
  /// is dropped counts among the fields. Repeated fields are kept.
  /// - Parameters:
  ///   - parameters: the names that the caller reads, ASCII. One of them without `=` has an empty value.
  ///   - octets: a query, or the body of a form.
  ///   - limits: as in ``init(decoding:limits:acceptsDuplicates:)``.
  /// - Throws: ``ErrorCode/limitExceeded``; ``ErrorCode/malformed`` for a parameter that can't be decoded.
  package init(
    parameters: [WireName], in octets: some Collection<UInt8>, limits: Limits = .default
  ) throws(JOSEError) {
    self.init()
    for field in try Self.split(octets, limits) {
      let nameEnd = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
      let name = PercentEncoding.decodePrefix(of: field[..<nameEnd], plusIsSpace: true)
      let value = Result { () throws(JOSEError) in
        try PercentEncoding.decode(field[nameEnd...].dropFirst(), plusIsSpace: true)
      }
      // Whose name it is matters only of a field that would be dropped.
      if name.isWhole, !name.text.isEmpty, case .success(let value) = value, !value.isEmpty {
        append(name.text, value)
      } else if parameters.contains(name.text) {
        guard name.isWhole else { throw JOSEError(.malformed, "the name of a parameter can't be decoded") }
        append(name.text, try value.get())
      }
    }
  }

  /// The fields that have a value. In OAuth's requests the others count as absent.
  ///
  /// Source: RFC 6749 §3.1, §3.2.
  package var withValues: FormFields {
    guard fields.contains(where: \.value.isEmpty) else { return self }
    return FormFields(fields.lazy.filter { !$0.value.isEmpty }.map { ($0.name, $0.value) })
  }

  /// The encoded fields, those that are empty included. One separator at the end says nothing.
  static func split(
    _ octets: some Collection<UInt8>, _ limits: Limits
  ) throws(JOSEError) -> [ArraySlice<UInt8>] {
    guard octets.count <= limits.formByteCount else {
      throw JOSEError(.limitExceeded, "the form is longer than the limit")
    }
    var octets = Array(octets)[...]
    guard !octets.isEmpty else { return [] }
    if octets.count > 1, octets.last == UInt8(ascii: "&") { octets.removeLast() }
    // One more than the limit tells that there are more, and is all that is split off.
    let fields = octets.split(
      separator: UInt8(ascii: "&"), maxSplits: max(0, limits.formFieldCount), omittingEmptySubsequences: false)
    guard fields.count <= limits.formFieldCount else {
      throw JOSEError(.limitExceeded, "the form has more fields than the limit")
    }
    return fields
  }
}
