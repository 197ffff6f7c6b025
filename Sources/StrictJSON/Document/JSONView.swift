/// One value of a parsed text, read in place.
package struct JSONView: Sendable {
  // Read only once made: see JSONTape.
  private nonisolated(unsafe) let storage: JSONTape
  let index: Int

  /// Takes an index that the tape itself gave.
  init(tape: JSONTape, index: Int) {
    unsafe storage = tape
    self.index = index
  }

  /// The tape, which any number of tasks may read.
  @inline(__always)
  var tape: JSONTape { unsafe storage }

  /// The type of the value.
  package var kind: JSONKind { tape.node(at: index).kind }

  /// Whether the value is `null`.
  package var isNull: Bool { kind == .null }

  /// The value with all it contains as a value tree.
  package var value: JSONValue { tape.value(at: index) }

  /// The bytes of the text from this value's first to its last. For strings: without the quotation marks and escapes.
  package var text: [UInt8] { unsafe tape.withText(at: index) { unsafe Array($0) } }

  /// How many bytes ``text`` has, without copying them.
  package var textByteCount: Int { unsafe tape.withText(at: index) { $0.count } }

  /// The boolean. Throws ``JSONError/Code/typeMismatch``.
  package func bool() throws(JSONError) -> Bool { try tape.bool(at: index) }

  /// The string. Throws ``JSONError/Code/typeMismatch``.
  package func string() throws(JSONError) -> String { try tape.string(at: index) }

  /// The number. Throws ``JSONError/Code/typeMismatch``.
  package func number() throws(JSONError) -> JSONNumber { try tape.number(at: index) }

  /// The number as an exact integer. Throws ``JSONError/Code/typeMismatch``, ``JSONError/Code/numberOutOfRange``.
  package func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) throws(JSONError) -> Integer {
    try tape.integer(type, at: index)
  }

  /// The number's nearest `Double`. Throws ``JSONError/Code/typeMismatch``.
  package func double() throws(JSONError) -> Double { try tape.double(at: index) }

  /// The object. Throws ``JSONError/Code/typeMismatch``.
  package func object() throws(JSONError) -> JSONObject {
    try tape.require(.object, at: index)
    return tape.object(at: index)
  }

  /// Calls `body` with the string's UTF-8 bytes, without making a `String`. Throws ``JSONError/Code/typeMismatch``.
  package func withStringBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) throws(JSONError) -> Result {
    try tape.require(.string, at: index)
    return unsafe tape.withText(at: index, body)
  }

  /// Whether the value is a string of exactly these UTF-8 bytes.
  package func isString(_ text: String) -> Bool {
    unsafe kind == .string
      && text.withUTF8Bytes { text in unsafe tape.withText(at: index) { unsafe haveSameBytes($0, text) } }
  }

  /// Whether the value is a string of exactly these UTF-8 bytes.
  package func isString(_ text: StaticString) -> Bool {
    kind == .string
      && text.withUTF8Buffer { text in unsafe tape.withText(at: index) { unsafe haveSameBytes($0, text) } }
  }

  /// The member of this name, compared by bytes; nil when there is none or the value is not an object.
  package subscript(name: String) -> JSONView? {
    guard kind == .object, let member = tape.find(name, inObject: index) else { return nil }
    return JSONView(tape: tape, index: member)
  }

  /// The string of a member, or nil when there is none. For text that is read often: no view of the member is made.
  ///
  /// Throws ``JSONError/Code/typeMismatch``.
  package func string(ofMember name: StaticString) throws(JSONError) -> String? {
    guard let member = place(ofMember: name) else { return nil }
    return try tape.string(at: member)
  }

  /// The nearest `Double` of a member, or nil when there is none. Throws ``JSONError/Code/typeMismatch``.
  package func double(ofMember name: StaticString) throws(JSONError) -> Double? {
    guard let member = place(ofMember: name) else { return nil }
    return try tape.double(at: member)
  }

  /// Whether there is a member of this name, and it is not `null`.
  package func hasValue(ofMember name: String) -> Bool {
    guard kind == .object, let member = tape.find(name, inObject: index) else { return false }
    return tape.node(at: member).kind != .null
  }

  @inline(__always)
  private func place(ofMember name: StaticString) -> Int? {
    guard kind == .object else { return nil }
    return name.withUTF8Buffer { unsafe tape.find($0, inObject: index) }
  }

  /// The members of an object in the order of the text. Empty when the value is not an object.
  package var members: Members {
    Members(tape: tape, position: index + 1, end: kind == .object ? tape.next(after: index) : 0)
  }

  /// The elements of an array. Empty when the value is not an array.
  package var elements: Elements {
    Elements(tape: tape, position: index + 1, end: kind == .array ? tape.next(after: index) : 0)
  }

  /// A walk over the members of an object.
  package struct Members: Sequence, IteratorProtocol {
    let tape: JSONTape
    var position: Int
    let end: Int

    /// The next name, as a view of a string, with its value.
    package mutating func next() -> (name: JSONView, value: JSONView)? {
      guard position < end else { return nil }
      let name = position
      position = tape.next(after: name + 1)
      return (JSONView(tape: tape, index: name), JSONView(tape: tape, index: name + 1))
    }
  }

  /// A walk over the elements of an array.
  package struct Elements: Sequence, IteratorProtocol {
    let tape: JSONTape
    var position: Int
    let end: Int

    /// The next element.
    package mutating func next() -> JSONView? {
      guard position < end else { return nil }
      let element = position
      position = tape.next(after: element)
      return JSONView(tape: tape, index: element)
    }
  }
}
