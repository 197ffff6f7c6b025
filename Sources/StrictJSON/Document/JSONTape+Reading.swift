/// What every reader goes through, in one file with most of them, so that a debug build inlines it.
extension JSONTape {
  @inline(__always)
  func node(at index: Int) -> JSONNode { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.nodes[index] } }

  @inline(__always)
  func next(after index: Int) -> Int { Int(node(at: index).next) }

  /// Calls `body` with the text of the entry: a string without quotation marks and escapes, or a literal as it stands.
  @inline(__always)
  func withText<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // start <= end <= textCount: the scanner wrote both.
    unsafe withUnsafeMutablePointerToHeader { contents in
      let node = unsafe contents.pointee.nodes[index]
      // 0 <= start <= end <= count of the text: the scanner sets both from positions it has passed.
      return unsafe body(
        UnsafeBufferPointer(start: contents.pointee.text + Int(node.start), count: Int(node.end &- node.start)))
    }
  }
}

/// Readers of one entry. Each throws ``JSONError/Code/typeMismatch`` when the entry is of another kind.
extension JSONTape {
  @inline(__always)
  func require(_ kind: JSONKind, at index: Int) throws(JSONError) {
    guard node(at: index).kind == kind else { throw mismatch(at: index, expected: kind) }
  }

  @inline(never)
  private func mismatch(at index: Int, expected kind: JSONKind) -> JSONError {
    JSONError(.typeMismatch, composed: "a value is not of the expected type, \(kind)", at: sourceOffset(of: index))
  }

  /// Where the entry stands in the source; nil for strings with escapes, which lie elsewhere.
  func sourceOffset(of index: Int) -> Int? {
    let node = node(at: index)
    return node.flags.contains(.isUnescaped) ? nil : Int(node.start)
  }

  func bool(at index: Int) throws(JSONError) -> Bool {
    try require(.bool, at: index)
    return node(at: index).flags.contains(.isTrue)
  }

  func string(at index: Int) throws(JSONError) -> String {
    try require(.string, at: index)
    return keptString(at: index) ?? text(at: index)
  }

  /// The entry's text as a `String`.
  @inline(__always)
  func text(at index: Int) -> String {
    unsafe withText(at: index) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  func number(at index: Int) throws(JSONError) -> JSONNumber {
    try require(.number, at: index)
    return JSONNumber(validLiteral: text(at: index))
  }

  @inline(__always)
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at index: Int) throws(JSONError) -> Integer {
    try require(.number, at: index)
    if let small = smallInteger(at: index) {
      guard let value = Integer(exactly: small) else { throw outOfRange(at: index) }
      return value
    }
    switch unsafe withText(at: index, { unsafe DecimalText($0).integer(type) }) {
    case .exactly(let value):
      return value
    case .outOfRange:
      throw outOfRange(at: index)
    case .hasFraction:
      throw JSONError(.numberOutOfRange, "a number is not whole", at: sourceOffset(of: index))
    }
  }

  private func outOfRange(at index: Int) -> JSONError {
    JSONError(.numberOutOfRange, "a number does not fit the type asked for", at: sourceOffset(of: index))
  }

  /// The value of a number of at most 18 digits without fraction and exponent, else nil. 10¹⁸ < 2⁶³.
  @inline(__always)
  private func smallInteger(at index: Int) -> Int64? {
    let node = node(at: index)
    guard node.flags.contains(.isPlainInteger), node.end &- node.start <= 18 else { return nil }
    return unsafe withText(at: index) { text in
      let isNegative = unsafe text.first == UInt8(ascii: "-")
      var magnitude: Int64 = 0
      for position in (isNegative ? 1 : 0)..<text.count {
        magnitude = unsafe magnitude &* 10 &+ Int64(text[position] &- UInt8(ascii: "0"))
      }
      return isNegative ? 0 &- magnitude : magnitude
    }
  }

  func double(at index: Int) throws(JSONError) -> Double {
    try require(.number, at: index)
    // Conversion from Int64 rounds to nearest; 0 is left to the general path, which knows −0.
    if let small = smallInteger(at: index), small != 0 { return Double(small) }
    return unsafe withText(at: index) { unsafe DecimalText($0).double }
  }

  func float(at index: Int) throws(JSONError) -> Float {
    try require(.number, at: index)
    let value = unsafe withText(at: index) { unsafe DecimalText($0).float }
    guard value.isFinite else { throw outOfRange(at: index) }
    return value
  }

  /// The entry and all it contains as a value tree. One call per level of nesting.
  func value(at index: Int) -> JSONValue {
    let node = node(at: index)
    switch node.kind {
    case .null: return .null
    case .bool: return .bool(node.flags.contains(.isTrue))
    case .number: return .number(JSONNumber(validLiteral: text(at: index)))
    case .string: return .string(text(at: index))
    case .array: return .array(array(at: index))
    case .object: return .object(object(at: index))
    }
  }

  func array(at index: Int) -> [JSONValue] {
    let end = next(after: index)
    var elements: [JSONValue] = []
    var element = index &+ 1
    while element < end {
      elements.append(value(at: element))
      element = next(after: element)
    }
    return elements
  }

  func object(at index: Int) -> JSONObject {
    let end = next(after: index)
    var members: [JSONObject.Member] = []
    var name = index &+ 1
    while name < end {
      members.append((name: text(at: name), value: value(at: name &+ 1)))
      name = next(after: name &+ 1)
    }
    return JSONObject(uniqueMembers: members)
  }
}
