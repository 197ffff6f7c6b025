/// An object of the arena, filled by keys.
struct ArenaKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let object: ArenaEncoder

  var codingPath: [any CodingKey] { object.codingPath }

  private func member(_ key: Key) -> ArenaEncoder { object.child(key.stringValue) }

  mutating func encodeNil(forKey key: Key) throws { member(key).setNull() }
  mutating func encode(_ value: Bool, forKey key: Key) throws { member(key).set(value) }
  mutating func encode(_ value: String, forKey key: Key) throws { member(key).set(value) }
  mutating func encode(_ value: Double, forKey key: Key) throws { try member(key).set(value) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try member(key).set(value) }
  mutating func encode(_ value: Int, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: Int128, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { member(key).set(integer: value) }
  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try member(key).set(encoding: value)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    member(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { object.child("super") }

  mutating func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}
