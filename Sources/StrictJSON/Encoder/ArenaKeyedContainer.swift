/// An object of the arena, filled by keys.
struct ArenaKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let object: ArenaEncoder

  var codingPath: [any CodingKey] { object.codingPath }

  private func encode(integer value: some FixedWidthInteger, _ key: Key) {
    object.addChild(key.stringValue) { $0.write(integer: value) }
  }

  private func encode(float value: some BinaryFloatingPoint & LosslessStringConvertible, _ key: Key) throws {
    let text = try object.text(of: value, at: key)
    object.addChild(key.stringValue) { $0.write(literal: text) }
  }

  mutating func encodeNil(forKey key: Key) throws { object.addChild(key.stringValue) { $0.write("null") } }
  mutating func encode(_ value: Bool, forKey key: Key) throws {
    object.addChild(key.stringValue) { $0.write(value ? "true" : "false") }
  }
  mutating func encode(_ value: String, forKey key: Key) throws {
    object.addChild(key.stringValue) { $0.write(string: value) }
  }
  mutating func encode(_ value: Double, forKey key: Key) throws { try encode(float: value, key) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try encode(float: value, key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: Int128, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { encode(integer: value, key) }
  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try object.addChild(key.stringValue, encoding: value)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    object.child(key.stringValue).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    object.child(key.stringValue).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { object.child("super") }

  mutating func superEncoder(forKey key: Key) -> any Encoder { object.child(key.stringValue) }
}
