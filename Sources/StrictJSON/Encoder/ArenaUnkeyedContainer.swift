/// An array of the arena, filled from front to back.
struct ArenaUnkeyedContainer: UnkeyedEncodingContainer {
  let array: ArenaEncoder

  var codingPath: [any CodingKey] { array.codingPath }

  var count: Int { array.arena.childCount(of: array.index) }

  private func element() -> ArenaEncoder { array.child(nil) }

  mutating func encodeNil() throws { element().setNull() }
  mutating func encode(_ value: Bool) throws { element().set(value) }
  mutating func encode(_ value: String) throws { element().set(value) }
  mutating func encode(_ value: Double) throws { try element().set(value) }
  mutating func encode(_ value: Float) throws { try element().set(value) }
  mutating func encode(_ value: Int) throws { element().set(integer: value) }
  mutating func encode(_ value: Int8) throws { element().set(integer: value) }
  mutating func encode(_ value: Int16) throws { element().set(integer: value) }
  mutating func encode(_ value: Int32) throws { element().set(integer: value) }
  mutating func encode(_ value: Int64) throws { element().set(integer: value) }
  mutating func encode(_ value: Int128) throws { element().set(integer: value) }
  mutating func encode(_ value: UInt) throws { element().set(integer: value) }
  mutating func encode(_ value: UInt8) throws { element().set(integer: value) }
  mutating func encode(_ value: UInt16) throws { element().set(integer: value) }
  mutating func encode(_ value: UInt32) throws { element().set(integer: value) }
  mutating func encode(_ value: UInt64) throws { element().set(integer: value) }
  mutating func encode(_ value: UInt128) throws { element().set(integer: value) }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try element().set(encoding: value) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    element().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { element() }
}
