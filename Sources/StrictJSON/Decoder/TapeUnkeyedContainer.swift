/// An array of the tape, read from front to back.
///
/// Small enough (three words) for `any UnkeyedDecodingContainer` to hold it without an allocation.
struct TapeUnkeyedContainer: UnkeyedDecodingContainer {
  private let tape: JSONTape
  private let array: UInt32
  private var next: UInt32
  private var position: UInt32 = 0

  init(tape: JSONTape, array: Int) {
    self.tape = tape
    self.array = UInt32(truncatingIfNeeded: array)
    next = self.array &+ 1
  }

  var codingPath: [any CodingKey] { tape.codingPath(to: Int(array)) }

  var currentIndex: Int { Int(position) }

  var isAtEnd: Bool { next >= tape.node(at: Int(array)).next }

  /// Counted by a walk over the elements.
  var count: Int? { JSONView(tape: tape, index: Int(array)).elements.reduce(0) { count, _ in count + 1 } }

  /// The element next in turn. The container moves on only when the element has been decoded.
  @inline(__always)
  private func element(_ type: any Any.Type) throws(DecodingError) -> TapeDecoder {
    guard !isAtEnd else { throw noMoreElements(type) }
    return TapeDecoder(tape: tape, index: Int(next))
  }

  @inline(never)
  private func noMoreElements(_ type: any Any.Type) -> DecodingError {
    .valueNotFound(
      type,
      .init(
        codingPath: codingPath + [JSONCodingKey(position: currentIndex)],
        debugDescription: "The array has no more elements."))
  }

  @inline(__always)
  private mutating func decoding<Value>(_ read: (TapeDecoder) throws -> Value) throws -> Value {
    let value = try read(try element(Value.self))
    next = tape.node(at: Int(next)).next
    position &+= 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard try element(Any?.self).decodeNil() else { return false }
    next &+= 1
    position &+= 1
    return true
  }

  mutating func decode(_: Bool.Type) throws -> Bool { try decoding { try $0.bool() } }
  mutating func decode(_: String.Type) throws -> String { try decoding { try $0.string() } }
  mutating func decode(_: Double.Type) throws -> Double { try decoding { try $0.double() } }
  mutating func decode(_: Float.Type) throws -> Float { try decoding { try $0.float() } }
  mutating func decode(_ type: Int.Type) throws -> Int { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try decoding { try $0.integer(type) } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decoding { try $0.integer(type) } }
  mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value { try decoding { try $0.value(Value.self) } }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoding { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try decoding { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try decoding { $0 }
  }
}
