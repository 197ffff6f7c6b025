/// A JSON text that has been parsed and can be read in place, without a value tree.
///
/// Parsing costs two allocations whatever the text holds, and one more if strings have escapes. Copies share them.
package struct JSONDocument: Sendable {
  let tape: JSONTape

  /// Parses a text: one value, white space around it, nothing else.
  /// - Throws: ``JSONError`` for text that is not strictly JSON, has duplicate names or is beyond the limits.
  package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    guard bytes.count <= limits.effectiveByteCount else {
      throw JSONError(.limitExceeded, "the text is longer than the limit")
    }
    try self.init(parsing: Array(bytes), limits: limits)
  }

  /// Parses a text that is an array already, which is shared and not copied.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
    tape = try JSONScanner.scan(bytes, limits: limits)
  }

  /// Parses a text in which objects that so many containers lie around may have names twice: for a caller that reads each of these objects anew,
  /// from its text, and can then pass over a wrong one.
  package init(
    parsing bytes: [UInt8], limits: JSONLimits, unexaminedNamesDepth: Int
  ) throws(JSONError) {
    tape = try JSONScanner.scan(bytes, limits: limits, unexaminedNamesDepth: unexaminedNamesDepth)
  }

  /// The one value that the text is.
  package var root: JSONView { JSONView(tape: tape, index: 0) }
}
