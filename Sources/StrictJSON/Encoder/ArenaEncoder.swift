/// The `Encoder` for one entry of an arena. Two words, so that `any Encoder` holds it without an allocation.
struct ArenaEncoder: Encoder {
  let arena: EncodingArena
  let index: Int

  var userInfo: [CodingUserInfoKey: Any] { arena.userInfo }

  var codingPath: [any CodingKey] { unsafe arena.draft.codingPath(to: index) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    unsafe arena.draft.makeContainer(.object, at: index)
    return KeyedEncodingContainer(ArenaKeyedContainer<Key>(object: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    unsafe arena.draft.makeContainer(.array, at: index)
    return ArenaUnkeyedContainer(array: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// The encoder for a new member or element of this container.
  func child(_ name: String?) -> ArenaEncoder {
    unsafe ArenaEncoder(arena: arena, index: arena.draft.addChild(of: index, name: name))
  }

  /// Encodes a value that is another type's business into a new member or element of this container.
  func addChild(_ name: String?, encoding value: some Encodable) throws {
    let child = child(name)
    do {
      try child.encodeValue(value)
    } catch {
      unsafe arena.draft.abandon(child.index)
      throw error
    }
  }

  /// Adds a member or element whose text `write` produces.
  @inline(__always)
  func addChild(_ name: String?, _ write: (inout JSONWriter) -> Void) {
    unsafe arena.draft.addChild(of: index, name: name, write)
  }

  /// Gives this encoder's own entry the text that `write` produces.
  @inline(__always)
  func setValue(_ write: (inout JSONWriter) -> Void) {
    unsafe arena.draft.setValue(of: index, write)
  }

  /// The text of a floating-point number that belongs at this encoder's entry or, with a key, within it.
  func text<Value: BinaryFloatingPoint & LosslessStringConvertible>(
    of value: Value, at key: @autoclosure () -> (any CodingKey)? = nil
  ) throws(EncodingError) -> String {
    guard value.isFinite else {
      throw .invalidValue(
        value,
        .init(
          codingPath: codingPath + (key().map { [$0] } ?? []), debugDescription: "JSON has no infinities and no NaN."))
    }
    return shortestText(description: value.description)
  }

  func encode(_ value: JSONValue) {
    setValue { $0.write(value, options: .compact, level: 0) }
  }
}

extension ArenaEncoder: SingleValueEncodingContainer, NumberEncoding {
  func encode(integer value: some FixedWidthInteger) { setValue { $0.write(integer: value) } }

  func encode(float value: some BinaryFloatingPoint & LosslessStringConvertible) throws {
    let text = try text(of: value)
    setValue { $0.write(literal: text) }
    unsafe arena.draft.noteFloat(index)
  }

  mutating func encodeNil() throws { setValue { $0.write("null") } }
  mutating func encode(_ value: Bool) throws { setValue { $0.write(value ? "true" : "false") } }
  mutating func encode(_ value: String) throws { setValue { $0.write(string: value) } }
  mutating func encode(_ value: Int128) throws { encode(integer: value) }
  mutating func encode(_ value: UInt128) throws { encode(integer: value) }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try encodeValue(value) }
}

/// An array of the arena, filled from front to back.
struct ArenaUnkeyedContainer: UnkeyedEncodingContainer, NumberEncoding {
  let array: ArenaEncoder

  var codingPath: [any CodingKey] { array.codingPath }

  var count: Int { unsafe array.arena.draft.childCount(of: array.index) }

  func encode(integer value: some FixedWidthInteger) { array.addChild(nil) { $0.write(integer: value) } }

  func encode(float value: some BinaryFloatingPoint & LosslessStringConvertible) throws {
    let text = try array.text(of: value, at: JSONCodingKey(position: count))
    array.addChild(nil) { $0.write(literal: text) }
  }

  mutating func encodeNil() throws { array.addChild(nil) { $0.write("null") } }
  mutating func encode(_ value: Bool) throws { array.addChild(nil) { $0.write(value ? "true" : "false") } }
  mutating func encode(_ value: String) throws { array.addChild(nil) { $0.write(string: value) } }
  mutating func encode(_ value: Int128) throws { encode(integer: value) }
  mutating func encode(_ value: UInt128) throws { encode(integer: value) }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try array.addChild(nil, encoding: value) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    array.child(nil).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { array.child(nil).unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { array.child(nil) }
}

/// A container without names, which takes a number of any type in one of two ways. In one file with the containers, so
/// that each gets code of its own in debug builds too. For 128 bits the standard library has defaults, which only a
/// type's own methods override.
protocol NumberEncoding {
  func encode(integer value: some FixedWidthInteger)
  func encode(float value: some BinaryFloatingPoint & LosslessStringConvertible) throws
}

extension NumberEncoding {
  mutating func encode(_ value: Double) throws { try encode(float: value) }
  mutating func encode(_ value: Float) throws { try encode(float: value) }
  mutating func encode(_ value: Int) throws { encode(integer: value) }
  mutating func encode(_ value: Int8) throws { encode(integer: value) }
  mutating func encode(_ value: Int16) throws { encode(integer: value) }
  mutating func encode(_ value: Int32) throws { encode(integer: value) }
  mutating func encode(_ value: Int64) throws { encode(integer: value) }
  mutating func encode(_ value: UInt) throws { encode(integer: value) }
  mutating func encode(_ value: UInt8) throws { encode(integer: value) }
  mutating func encode(_ value: UInt16) throws { encode(integer: value) }
  mutating func encode(_ value: UInt32) throws { encode(integer: value) }
  mutating func encode(_ value: UInt64) throws { encode(integer: value) }
}
