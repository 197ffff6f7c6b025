/// A JSON text that has been parsed and can be read in place, without a value tree.
///
/// Parsing costs one allocation for a text of less than 64 entries whose strings have no escapes, and few for others. Copies share them.
package struct JSONDocument: Sendable {
  // Read only once made: see JSONTape.
  nonisolated(unsafe) let tape: JSONTape

  /// Parses a text: one value, white space around it, nothing else.
  /// - Throws: ``JSONError`` for text that is not strictly JSON, has duplicate names or is beyond the limits.
  package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    guard bytes.count <= limits.effectiveByteCount else {
      throw JSONError(.limitExceeded, "the text is longer than the limit")
    }
    // `withContiguousStorageIfAvailable` can't carry a typed error, so the outcome travels as a value.
    let outcome = bytes.withContiguousStorageIfAvailable { bytes in
      Result { () throws(JSONError) in try JSONScanner.scan(bytes, limits: limits) }
    }
    tape = if let outcome { try outcome.get() } else { try Self.tape(of: Array(bytes), limits: limits) }
  }

  /// Parses a text that is an array already.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
    tape = try Self.tape(of: bytes, limits: limits)
  }

  /// Parses a text in which objects that so many containers lie around may have names twice: for a caller that reads each of these objects anew,
  /// from its text, and can then pass over a wrong one.
  package init(
    parsing bytes: [UInt8], limits: JSONLimits, unexaminedNamesDepth: Int
  ) throws(JSONError) {
    tape = try Self.tape(of: bytes, limits: limits, unexaminedNamesDepth: unexaminedNamesDepth)
  }

  private static func tape(
    of bytes: [UInt8], limits: JSONLimits, unexaminedNamesDepth: Int = .max
  ) throws(JSONError) -> JSONTape {
    try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
      try JSONScanner.scan(bytes, limits: limits, unexaminedNamesDepth: unexaminedNamesDepth)
    }
  }

  /// The one value that the text is.
  package var root: JSONView { JSONView(tape: tape, index: 0) }
}
