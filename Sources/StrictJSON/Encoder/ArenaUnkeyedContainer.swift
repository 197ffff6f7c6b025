/// An array of the arena, filled from front to back.
struct ArenaUnkeyedContainer: UnkeyedEncodingContainer {
  let array: ArenaEncoder

  var codingPath: [any CodingKey] { array.codingPath }

  var count: Int { array.arena.draft.childCount(of: array.index) }

  private func encode(integer value: some FixedWidthInteger) { array.addChild(nil) { $0.write(integer: value) } }

  private func encode(float value: some BinaryFloatingPoint & LosslessStringConvertible) throws {
    let text = try array.text(of: value, at: JSONCodingKey(position: count))
    array.addChild(nil) { $0.write(literal: text) }
  }

  mutating func encodeNil() throws { array.addChild(nil) { $0.write("null") } }
  mutating func encode(_ value: Bool) throws { array.addChild(nil) { $0.write(value ? "true" : "false") } }
  mutating func encode(_ value: String) throws { array.addChild(nil) { $0.write(string: value) } }
  mutating func encode(_ value: Double) throws { try encode(float: value) }
  mutating func encode(_ value: Float) throws { try encode(float: value) }
  mutating func encode(_ value: Int) throws { encode(integer: value) }
  mutating func encode(_ value: Int8) throws { encode(integer: value) }
  mutating func encode(_ value: Int16) throws { encode(integer: value) }
  mutating func encode(_ value: Int32) throws { encode(integer: value) }
  mutating func encode(_ value: Int64) throws { encode(integer: value) }
  mutating func encode(_ value: Int128) throws { encode(integer: value) }
  mutating func encode(_ value: UInt) throws { encode(integer: value) }
  mutating func encode(_ value: UInt8) throws { encode(integer: value) }
  mutating func encode(_ value: UInt16) throws { encode(integer: value) }
  mutating func encode(_ value: UInt32) throws { encode(integer: value) }
  mutating func encode(_ value: UInt64) throws { encode(integer: value) }
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
