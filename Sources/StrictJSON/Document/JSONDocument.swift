/// A JSON text that has been parsed and can be read in place, without a value tree.
///
/// Parsing costs one allocation for a text of less than 64 entries whose strings have no escapes, and few for others.
/// Copies share them.
package struct JSONDocument: Sendable {
  // Read only once shared: see JSONTape.
  private nonisolated(unsafe) var storage: JSONTape

  /// The tape, which any number of tasks may read.
  @inline(__always)
  var tape: JSONTape { unsafe storage }

  /// Parses a text: one value, white space around it, nothing else.
  /// - Throws: ``JSONError`` for text that is not strictly JSON, has duplicate names or is beyond the limits.
  package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    guard bytes.count <= limits.effectiveByteCount else {
      throw JSONError(.limitExceeded, "the text is longer than the limit")
    }
    // `withContiguousStorageIfAvailable` can't carry a typed error, so the outcome travels as a value.
    let outcome = bytes.withContiguousStorageIfAvailable { bytes in
      Result { () throws(JSONError) in try unsafe JSONScanner.scan(bytes, limits: limits) }
    }
    unsafe storage = if let outcome { try outcome.get() } else { try Self.tape(of: Array(bytes), limits: limits) }
  }

  /// Parses a text that stands in one piece of memory. It is copied.
  package init(parsing bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    unsafe storage = try JSONScanner.scan(bytes, limits: limits)
  }

  /// Parses a text that is an array already.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
    unsafe storage = try Self.tape(of: bytes, limits: limits)
  }

  /// Parses a text in which objects at this depth may have duplicate names: for a caller that reads each of these
  /// objects anew, from its text, and can then pass over a wrong one.
  package init(
    parsing bytes: [UInt8], limits: JSONLimits, unexaminedNamesDepth: Int
  ) throws(JSONError) {
    unsafe storage = try Self.tape(of: bytes, limits: limits, unexaminedNamesDepth: unexaminedNamesDepth)
  }

  private static func tape(
    of bytes: [UInt8], limits: JSONLimits, unexaminedNamesDepth: Int = .max
  ) throws(JSONError) -> JSONTape {
    try unsafe bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
      try unsafe JSONScanner.scan(bytes, limits: limits, unexaminedNamesDepth: unexaminedNamesDepth)
    }
  }

  /// The one value that the text is.
  package var root: JSONView { JSONView(tape: tape, index: 0) }

  /// The one value that the text is, instead of the document: no reference more.
  package consuming func intoRoot() -> JSONView { JSONView(tape: tape, index: 0) }
}

/// Where a value stands in the document that named the place.
package struct JSONPlace: Sendable {
  let index: Int
}

/// Readers without views, for a few members that are read of every text: a view costs a reference to the tape.
extension JSONDocument {
  /// Calls `body` with each member of the root, in the order of the text: its name as bytes, and the place of its
  /// value.
  package func forEachMember(_ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: JSONPlace) -> Void) {
    guard tape.node(at: 0).kind == .object else { return }
    let end = tape.next(after: 0)
    var name = 1
    while name < end {
      unsafe tape.withText(at: name) { unsafe body($0, JSONPlace(index: name &+ 1)) }
      name = tape.next(after: name &+ 1)
    }
  }

  /// The type of the one value.
  package var rootKind: JSONKind { tape.node(at: 0).kind }

  /// The view of a value.
  package func view(at place: JSONPlace) -> JSONView { JSONView(tape: tape, index: place.index) }

  /// The type of a value.
  package func kind(at place: JSONPlace) -> JSONKind { tape.node(at: place.index).kind }

  /// The nearest `Double` of a number. Throws ``JSONError/Code/typeMismatch``.
  package func double(at place: JSONPlace) throws(JSONError) -> Double { try tape.double(at: place.index) }

  /// A string, which is kept for the next reader of the value, unless a view is held already. Throws
  /// ``JSONError/Code/typeMismatch``.
  package mutating func keptString(at place: JSONPlace) throws(JSONError) -> String {
    let text = try tape.string(at: place.index)
    if unsafe isKnownUniquelyReferenced(&storage) { tape.keep(text, at: place.index) }
    return text
  }
}
