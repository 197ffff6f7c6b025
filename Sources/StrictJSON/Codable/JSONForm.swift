/// A type that JSON text of this package holds in another form than the type's own `Codable` writes.
///
/// Foundation's types describe themselves in ways that no token uses: `Date` by seconds since 2001, `Data` by an array
/// of numbers, `Decimal` by its words in memory. The module that knows Foundation gives them their form; where it isn't
/// linked, they are refused, for another meaning would be worse than none.
///
/// Only types of at most 40 octets are asked for their form, since asking takes its time: all four are smaller,
/// whatever they are made of.
package protocol JSONForm: Encodable {
  /// Reads the form.
  init(jsonForm decoder: any Decoder) throws
  /// Writes the form.
  func encodeJSONForm(to encoder: any Encoder) throws
}

/// The place of a value that doesn't decode or encode, as text for an error: names and positions, with `/` between
/// them.
///
/// A name that could be a sender's invention, because it is not a plain word, is a question mark.
package func placeText(_ path: [any CodingKey]) -> String {
  path.map { key in
    if let position = key.intValue { return "\(position)" }
    let isPlain =
      key.stringValue.utf8.count <= 64
      && key.stringValue.utf8.allSatisfy { octet in
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
        default: false
        }
      }
    return isPlain && !key.stringValue.isEmpty ? key.stringValue : "?"
  }.joined(separator: "/")
}

extension DecodingError {
  /// Where decoding failed, and whether for want of a form.
  package var place: (text: String, isFormMissing: Bool) {
    let (path, context): ([any CodingKey], Context) =
      switch self {
      case .keyNotFound(let key, let context): (context.codingPath + [key], context)
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        (context.codingPath, context)
      @unknown default: ([], Context(codingPath: [], debugDescription: ""))
      }
    return (placeText(path), context.underlyingError is JSONFormMissing)
  }
}

extension EncodingError {
  /// Where encoding failed, and what it was about a form, if it was.
  package var place: (text: String, cause: (any Error)?) {
    guard case .invalidValue(_, let context) = self else { return ("", nil) }
    return (placeText(context.codingPath), context.underlyingError)
  }
}

/// A type of Foundation has no form, because the module that gives it one isn't linked.
package struct JSONFormMissing: Error {
  static let message =
    "Date, Data, URL and Decimal have a form in tokens only with JOSEFoundation: import it, or use other types."

  /// Whether a type may have a form. Asking takes its time: no type with a form is longer than this, and lists of
  /// texts, as audiences are, have none.
  @inline(__always)
  static func isWorthAsking<Value>(_ type: Value.Type) -> Bool {
    MemoryLayout<Value>.size <= 40 && type != [String].self
  }

  /// Whether a type is one of those that need a form.
  static func concerns(_ type: Any.Type, byteCount: Int) -> Bool {
    // Asking for a name takes its time. Decimal has 20 octets, the others at most 16.
    guard byteCount <= 16 || byteCount == 20 else { return false }
    let name = WireName(_typeName(type, qualified: true))
    return types.contains {
      name == "Foundation.\($0)" || name == "FoundationEssentials.\($0)"
    } || name == "__C.NSDecimal"
  }

  private static let types = ["Date", "Data", "URL", "Decimal"]
}

extension TapeDecoder {
  /// The value at which this decoder stands, in its own form or the one that it was given.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard JSONFormMissing.isWorthAsking(Value.self) else { return try Value(from: self) }
    if let form = type as? any JSONForm.Type, let value = try form.init(jsonForm: self) as? Value { return value }
    guard !JSONFormMissing.concerns(type, byteCount: MemoryLayout<Value>.size) else {
      throw DecodingError.typeMismatch(
        type,
        .init(codingPath: codingPath, debugDescription: JSONFormMissing.message, underlyingError: JSONFormMissing()))
    }
    return try Value(from: self)
  }
}

extension ArenaEncoder {
  /// Encodes a value in its own form or the one that it was given.
  func encodeValue<Value: Encodable>(_ value: Value) throws {
    guard JSONFormMissing.isWorthAsking(Value.self) else {
      try value.encode(to: self)
      if unsafe arena.draft.mayBeParts(index) { try requireNoParts(of: value) }
      return
    }
    if let value = value as? any JSONForm { return try value.encodeJSONForm(to: self) }
    guard !JSONFormMissing.concerns(Value.self, byteCount: MemoryLayout<Value>.size) else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: codingPath, debugDescription: JSONFormMissing.message, underlyingError: JSONFormMissing()))
    }
    try value.encode(to: self)
    if unsafe arena.draft.mayBeParts(index) { try requireNoParts(of: value) }
  }

  /// Refuses a wrapper that had its `Date`, `URL` or `Decimal` write itself, as `wrapped.encode(to: encoder)` does: no
  /// encoder is asked for a form then, and what is written means something else. The list of numbers that `Data` writes
  /// means the same as any other.
  private func requireNoParts<Value: Encodable>(of value: Value) throws {
    guard let wrapped = Self.wrapped(in: value, depth: 3) else { return }
    let arena = EncodingArena(userInfo: arena.userInfo)
    try wrapped.encode(to: ArenaEncoder(arena: arena, index: 0))
    // Some other text is one that the wrapper chose.
    guard try unsafe arena.draft.compactText(encoding: wrapped) == self.arena.draft.text(of: index) else { return }
    throw EncodingError.invalidValue(
      value, .init(codingPath: codingPath, debugDescription: PartsWritten.message, underlyingError: PartsWritten()))
  }

  /// The value with a form of its own within a wrapper, which may be wrapped again.
  private static func wrapped(in value: Any, depth: Int) -> (any Encodable)? {
    let mirror = Mirror(reflecting: value)
    guard depth > 0, [.struct, .class, .optional, .enum, .tuple].contains(mirror.displayStyle) else { return nil }
    let children = Array(mirror.children) + (mirror.superclassMirror.map { Array($0.children) } ?? [])
    for child in children.prefix(32) {
      if let form = child.value as? any JSONForm { return form }
      let type = Swift.type(of: child.value)
      if JSONFormMissing.concerns(type, byteCount: 16), let value = child.value as? any Encodable { return value }
      if let form = wrapped(in: child.value, depth: depth - 1) { return form }
    }
    return nil
  }
}

/// A type of Foundation was written by its own `encode(to:)`, and not in its form.
package struct PartsWritten: Error {
  static let message =
    "The type calls encode(to:) of a Date, URL or Decimal: encode the value into a single-value container."
}
