/// Makes values of `Decodable` types from JSON text.
///
/// The text is parsed strictly (see ``JSONValue/init(parsing:limits:)``) into a flat tape, from which the type's own
/// `init(from:)` reads directly; no value tree is made.
///
/// Nothing is converted on the quiet. A string is never a number or a boolean, nor the other way round; a number read
/// as an integer must be whole and in range (`1.0` and `1e3` are whole); names are compared by bytes. `Date`, `Data`,
/// `URL` and `Decimal` are refused unless `JOSEFoundation` is linked; a `Decimal` then has the number's own digits. An
/// optional property is nil both when its member is absent and when it is `null`, as synthesised `Decodable` has it;
/// ask `contains(_:)` and `decodeNil(forKey:)` of the container to tell them apart.
///
/// An object with two names that Swift's `String` takes for equal though their bytes differ (canonical equivalents,
/// such as `é` in two normal forms) can't be decoded by keys, since `[String: …]` would lose a member. As
/// ``JSONObject`` it can.
public struct StrictJSONDecoder: Sendable {
  /// How large a text may be.
  package var limits: JSONLimits

  /// What the decoded types find in `Decoder.userInfo`.
  package var userInfo: [CodingUserInfoKey: any Sendable]

  /// A decoder with these limits.
  public init(limits: JSONLimits = .default, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.limits = limits
    self.userInfo = userInfo
  }

  /// Decodes a value from JSON text.
  /// - Throws: ``JSONError`` when the text is refused. `DecodingError` when the text is sound but does not fit the
  ///   type: `keyNotFound` for an absent member, `valueNotFound` for `null`, `typeMismatch` for another JSON type,
  ///   `dataCorrupted` for a number that the type can't hold. Whatever else the type's `init(from:)` throws. A coding
  ///   path holds names from the text, a debug description nothing of it.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from bytes: some Collection<UInt8>
  ) throws -> Value {
    try decode(type, from: try JSONDocument(parsing: bytes, limits: limits).root)
  }

  /// Decodes a value from a value tree.
  /// - Throws: as from text; ``JSONError/Code/limitExceeded`` only for a tree deeper than 256 levels.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from value: JSONValue) throws -> Value {
    try decode(type, from: try JSONDocument(parsing: value.serialized(), limits: .ownText).root)
  }

  /// Decodes a value from a place in a parsed text, with no `userInfo`.
  package static func decoded<Value: Decodable>(_ type: Value.Type, from view: JSONView) throws -> Value {
    try TapeDecoder(tape: view.tape.with(userInfo: [:]), index: view.index).value(type)
  }

  /// Decodes a value from a place in a parsed text.
  package func decode<Value: Decodable>(_ type: Value.Type = Value.self, from view: JSONView) throws -> Value {
    try TapeDecoder(tape: view.tape.with(userInfo: userInfo), index: view.index).value(type)
  }
}
