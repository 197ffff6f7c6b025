/// An object of the tape, read by keys. Members are found by a scan over the names: no dictionary is made.
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: TapeDecoder

  var codingPath: [any CodingKey] { object.codingPath }

  /// The keys that the object's names stand for.
  ///
  /// A `String` enum makes a key from any canonically equivalent name; only the key's own bytes count here.
  var allKeys: [Key] {
    JSONView(tape: object.tape, index: object.index).members.compactMap { name, _ in
      let text = object.tape.text(at: name.index)
      guard let key = Key(stringValue: text), key.stringValue.hasSameBytes(as: text) else { return nil }
      return key
    }
  }

  func contains(_ key: Key) -> Bool { object.member(key.stringValue) != nil }

  // Out of line: written into each of the 30 functions below, the two would be a fifth of this module.

  /// The member's value; throws when there is none.
  @inline(never)
  private func member(_ key: Key) throws(DecodingError) -> TapeDecoder {
    guard let member = object.member(key.stringValue) else {
      throw .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "The object has no such member."))
    }
    return member
  }

  /// The member's value; nil when there is none or it is `null`.
  @inline(never)
  private func present(_ key: Key) -> TapeDecoder? {
    guard let member = object.member(key.stringValue), !member.decodeNil() else { return nil }
    return member
  }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
  func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try member(key).bool() }
  func decode(_: String.Type, forKey key: Key) throws -> String { try member(key).string() }
  func decode(_: Double.Type, forKey key: Key) throws -> Double { try member(key).double() }
  func decode(_: Float.Type, forKey key: Key) throws -> Float { try member(key).float() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).integer(type) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try member(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).integer(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try member(key).integer(type) }
  func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value { try member(key).value(Value.self) }

  // The defaults would look the name up three times.
  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.bool() }
  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try present(key)?.string() }
  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.double() }
  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? { try present(key)?.float() }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try present(key)?.integer(type) }
  func decodeIfPresent<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value? {
    try present(key).map { try $0.value(Value.self) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = JSONCodingKey(stringValue: "super")
    guard let member = object.member(key.stringValue) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "The object has no such member."))
    }
    return member
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

extension TapeDecoder {
  /// The value of a member of the object at which this decoder stands.
  func member(_ name: String) -> TapeDecoder? {
    tape.find(name, inObject: index).map { TapeDecoder(tape: tape, index: $0) }
  }
}
