/// Makes JSON text from values of `Encodable` types.
///
/// Members stand in the order in which the type encodes them, so the text is the same every time, except for a
/// `Dictionary`, whose order Swift leaves open: ask for ``JSONSerializationOptions/canonical`` or use ``JSONObject``
/// there. `Date`, `Data`, `URL` and `Decimal` are refused unless `JOSEFoundation` is linked, which gives them a form: a
/// `Decimal` is then a number with the same digits. A type that encodes nothing becomes `{}`.
public struct StrictJSONEncoder: Sendable {
  /// How the text is laid out.
  package var options: JSONSerializationOptions

  /// What the encoded types find in `Encoder.userInfo`.
  package var userInfo: [CodingUserInfoKey: any Sendable]

  /// An encoder with this layout.
  public init(options: JSONSerializationOptions = .compact, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.options = options
    self.userInfo = userInfo
  }

  /// Encodes a value as JSON text in UTF-8.
  /// - Throws: `EncodingError.invalidValue` for infinities and NaN, for two members of one name, and for a type that
  ///   encodes two things into one place. Whatever else the type's `encode(to:)` throws.
  ///   ``JSONError/Code/limitExceeded`` for more than 256 levels of nesting when the layout is not compact.
  public func encode(_ value: some Encodable) throws -> [UInt8] {
    let bytes = try compactText(of: value)
    return options == .compact ? bytes : try Self.parsed(bytes).serialized(options: options)
  }

  /// Encodes a value as a value tree.
  /// - Throws: as ``encode(_:)``; ``JSONError/Code/limitExceeded`` for more than 256 levels of nesting.
  public func encodeValue(_ value: some Encodable) throws -> JSONValue {
    try Self.parsed(try compactText(of: value))
  }

  private func compactText(of value: some Encodable) throws -> [UInt8] {
    let arena = EncodingArena(userInfo: userInfo)
    try ArenaEncoder(arena: arena, index: 0).encodeValue(value)
    return try unsafe arena.draft.compactText(encoding: value)
  }

  private static func parsed(_ bytes: [UInt8]) throws -> JSONValue {
    try JSONDocument(parsing: bytes, limits: .ownText).root.value
  }
}
