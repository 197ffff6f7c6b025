/// The `Decoder` for one entry of a tape.
///
/// Two words, so that `any Decoder` holds it without an allocation. It carries no coding path: the tape knows it.
struct TapeDecoder: Decoder {
  let tape: JSONTape
  let index: Int

  var userInfo: [CodingUserInfoKey: Any] { tape.userInfo }

  var codingPath: [any CodingKey] { tape.codingPath(to: index) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(TapeKeyedContainer<Key>(object: try objectDecoder()))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard tape.node(at: index).kind == .array else { throw mismatch([Any].self) }
    return TapeUnkeyedContainer(tape: tape, array: index)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// This decoder, once it is known to stand at an object that can be read by keys.
  func objectDecoder() throws(DecodingError) -> TapeDecoder {
    let node = tape.node(at: index)
    guard node.kind == .object else { throw mismatch([String: Any].self) }
    if node.flags.contains(.hasNonASCIIName), tape.hasCanonicallyEquivalentNames(inObject: index) {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "Two names of the object are canonically equivalent."))
    }
    return self
  }

  // MARK: - Errors

  /// The error for a value of another type than the one asked for.
  func mismatch(_ type: any Any.Type) -> DecodingError { mismatch(type, at: index) }

  @inline(never)
  private func mismatch(_ type: any Any.Type, at place: Int) -> DecodingError {
    let found = tape.node(at: place).kind
    let context = DecodingError.Context(
      codingPath: tape.codingPath(to: place), debugDescription: "Expected to decode \(type) but found \(found) instead."
    )
    return found == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  @inline(never)
  private func decodingError(_ error: JSONError, _ type: any Any.Type, at place: Int) -> DecodingError {
    if error.code == .typeMismatch { return mismatch(type, at: place) }
    return .dataCorrupted(
      .init(
        codingPath: tape.codingPath(to: place), debugDescription: "The number can't be represented as \(type).",
        underlyingError: error))
  }

  // MARK: - Scalars, here and at places within

  @inline(__always)
  private func reading<Value>(
    _ type: Value.Type, at place: Int, _ read: (JSONTape, Int) throws(JSONError) -> Value
  ) throws(DecodingError) -> Value {
    do throws(JSONError) {
      return try read(tape, place)
    } catch {
      throw decodingError(error, type, at: place)
    }
  }

  @inline(never)
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at place: Int) throws(DecodingError) -> Integer {
    try reading(type, at: place) { tape, place throws(JSONError) in try tape.integer(type, at: place) }
  }

  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws(DecodingError) -> Integer {
    try integer(type, at: index)
  }

  func bool(at place: Int) throws(DecodingError) -> Bool {
    try reading(Bool.self, at: place) { tape, place throws(JSONError) in try tape.bool(at: place) }
  }

  func bool() throws(DecodingError) -> Bool { try bool(at: index) }

  func string(at place: Int) throws(DecodingError) -> String {
    try reading(String.self, at: place) { tape, place throws(JSONError) in try tape.string(at: place) }
  }

  func string() throws(DecodingError) -> String { try string(at: index) }

  func double(at place: Int) throws(DecodingError) -> Double {
    try reading(Double.self, at: place) { tape, place throws(JSONError) in try tape.double(at: place) }
  }

  func double() throws(DecodingError) -> Double { try double(at: index) }

  func float(at place: Int) throws(DecodingError) -> Float {
    try reading(Float.self, at: place) { tape, place throws(JSONError) in try tape.float(at: place) }
  }

  func float() throws(DecodingError) -> Float { try float(at: index) }
}

extension TapeDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { tape.node(at: index).kind == .null }
  func decode(_: Bool.Type) throws -> Bool { try bool() }
  func decode(_: String.Type) throws -> String { try string() }
  func decode(_: Double.Type) throws -> Double { try double() }
  func decode(_: Float.Type) throws -> Float { try float() }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }
  func decode<Value: Decodable>(_: Value.Type) throws -> Value { try value(Value.self) }
}
