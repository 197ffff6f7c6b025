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

  func contains(_ key: Key) -> Bool { place(key) != nil }

  private func place(_ key: Key) -> Int? { object.tape.find(key.stringValue, inObject: object.index) }

  // Places of members, not decoders for them: those would retain and release the tape each time. Out of line: written
  // into each of the 30 functions below, the two would be a fifth of this module.

  /// The place of the member's value; throws when there is none.
  @inline(never)
  private func member(_ key: Key) throws(DecodingError) -> Int {
    guard let place = place(key) else {
      throw .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "The object has no such member."))
    }
    return place
  }

  /// The place of the member's value; nil when there is none or it is `null`.
  @inline(never)
  private func present(_ key: Key) -> Int? {
    guard let place = place(key), object.tape.node(at: place).kind != .null else { return nil }
    return place
  }

  private func decoder(_ place: Int) -> TapeDecoder { TapeDecoder(tape: object.tape, index: place) }

  func decodeNil(forKey key: Key) throws -> Bool { try object.tape.node(at: member(key)).kind == .null }
  func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try object.bool(at: member(key)) }
  func decode(_: String.Type, forKey key: Key) throws -> String { try object.string(at: member(key)) }
  func decode(_: Double.Type, forKey key: Key) throws -> Double { try object.double(at: member(key)) }
  func decode(_: Float.Type, forKey key: Key) throws -> Float { try object.float(at: member(key)) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try object.integer(type, at: member(key)) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try object.integer(type, at: member(key)) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try object.integer(type, at: member(key)) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try object.integer(type, at: member(key)) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try object.integer(type, at: member(key)) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try object.integer(type, at: member(key)) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try object.integer(type, at: member(key)) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try object.integer(type, at: member(key)) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try object.integer(type, at: member(key)) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try object.integer(type, at: member(key)) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try object.integer(type, at: member(key)) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try object.integer(type, at: member(key)) }
  func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
    try decoder(member(key)).value(Value.self)
  }

  private func integer<Integer: FixedWidthInteger>(ifPresent type: Integer.Type, _ key: Key) throws -> Integer? {
    try present(key).map { try object.integer(type, at: $0) }
  }

  // The defaults would look the name up three times.
  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key).map { try object.bool(at: $0) }
  }
  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
    try present(key).map { try object.string(at: $0) }
  }
  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
    try present(key).map { try object.double(at: $0) }
  }
  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
    try present(key).map { try object.float(at: $0) }
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try integer(ifPresent: type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try integer(ifPresent: type, key) }
  func decodeIfPresent<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value? {
    try present(key).map { try decoder($0).value(Value.self) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(member(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(member(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = JSONCodingKey(stringValue: "super")
    guard let member = object.member(key.stringValue) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "The object has no such member."))
    }
    return member
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(member(key)) }
}

extension TapeDecoder {
  /// The value of a member of the object at which this decoder stands.
  func member(_ name: String) -> TapeDecoder? {
    tape.find(name, inObject: index).map { TapeDecoder(tape: tape, index: $0) }
  }
}
