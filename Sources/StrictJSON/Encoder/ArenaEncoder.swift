/// The `Encoder` for one entry of an arena. Two words, so that `any Encoder` holds it without an allocation.
struct ArenaEncoder: Encoder {
  let arena: EncodingArena
  let index: Int

  var userInfo: [CodingUserInfoKey: Any] { arena.userInfo }

  var codingPath: [any CodingKey] { arena.codingPath(to: index) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    arena.makeContainer(.object, at: index)
    return KeyedEncodingContainer(ArenaKeyedContainer<Key>(object: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    arena.makeContainer(.array, at: index)
    return ArenaUnkeyedContainer(array: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// The encoder for a new member or element of this container.
  func child(_ name: String?) -> ArenaEncoder {
    ArenaEncoder(arena: arena, index: arena.addChild(of: index, name: name))
  }

  func encode(_ value: JSONValue) {
    arena.setValue(of: index) { $0.write(value, options: .compact, level: 0) }
  }

  func set(_ value: String) { arena.setValue(of: index) { $0.write(string: value) } }

  func set(_ value: Bool) { arena.setValue(of: index) { $0.write(value ? "true" : "false") } }

  func setNull() { arena.setValue(of: index) { $0.write("null") } }

  func set(integer value: some FixedWidthInteger) { arena.setValue(of: index) { $0.write(literal: String(value)) } }

  func set(_ value: Double) throws { try set(number: value) { value throws(JSONError) in try JSONNumber(value) } }

  func set(_ value: Float) throws { try set(number: value) { value throws(JSONError) in try JSONNumber(value) } }

  private func set<Value>(number value: Value, _ convert: (Value) throws(JSONError) -> JSONNumber) throws {
    let number: JSONNumber
    do throws(JSONError) {
      number = try convert(value)
    } catch {
      let context = EncodingError.Context(
        codingPath: codingPath, debugDescription: "JSON has no infinities and no NaN.", underlyingError: error)
      arena.abandon(index)
      throw EncodingError.invalidValue(value, context)
    }
    arena.setValue(of: index) { $0.write(literal: number.literal) }
  }

  func set(encoding value: some Encodable) throws {
    do {
      try value.encode(to: self)
    } catch {
      arena.abandon(index)
      throw error
    }
  }
}

extension ArenaEncoder: SingleValueEncodingContainer {
  mutating func encodeNil() throws { setNull() }
  mutating func encode(_ value: Bool) throws { set(value) }
  mutating func encode(_ value: String) throws { set(value) }
  mutating func encode(_ value: Double) throws { try set(value) }
  mutating func encode(_ value: Float) throws { try set(value) }
  mutating func encode(_ value: Int) throws { set(integer: value) }
  mutating func encode(_ value: Int8) throws { set(integer: value) }
  mutating func encode(_ value: Int16) throws { set(integer: value) }
  mutating func encode(_ value: Int32) throws { set(integer: value) }
  mutating func encode(_ value: Int64) throws { set(integer: value) }
  mutating func encode(_ value: Int128) throws { set(integer: value) }
  mutating func encode(_ value: UInt) throws { set(integer: value) }
  mutating func encode(_ value: UInt8) throws { set(integer: value) }
  mutating func encode(_ value: UInt16) throws { set(integer: value) }
  mutating func encode(_ value: UInt32) throws { set(integer: value) }
  mutating func encode(_ value: UInt64) throws { set(integer: value) }
  mutating func encode(_ value: UInt128) throws { set(integer: value) }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: self) }
}
