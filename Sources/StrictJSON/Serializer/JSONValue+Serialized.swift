extension JSONValue {
  /// The value as JSON text in UTF-8.
  ///
  /// The same value and options give the same bytes, everywhere and always.
  public func serialized(options: JSONSerializationOptions = .compact) -> [UInt8] {
    var writer = JSONWriter()
    writer.reserveCapacity(256)
    writer.write(self, options: options, level: 0)
    return writer.bytes
  }
}

extension JSONObject {
  /// The object as JSON text in UTF-8, as ``JSONValue/serialized(options:)`` writes it.
  public func serialized(options: JSONSerializationOptions = .compact) -> [UInt8] {
    JSONValue.object(self).serialized(options: options)
  }
}

extension JSONWriter {
  /// Writes a value. One call per level of nesting.
  mutating func write(_ value: JSONValue, options: JSONSerializationOptions, level: Int) {
    switch value {
    case .null: write("null")
    case .bool(let value): write(value ? "true" : "false")
    case .number(let value): write(literal: value.literal)
    case .string(let value): write(string: value)
    case .array(let elements):
      write(UInt8(ascii: "["))
      for (position, element) in elements.enumerated() {
        startLine(options, level: level + 1, isFirst: position == 0)
        write(element, options: options, level: level + 1)
      }
      endContainer(UInt8(ascii: "]"), options, level: level, isEmpty: elements.isEmpty)
    case .object(let object):
      write(UInt8(ascii: "{"))
      let members = options.memberOrder == .asGiven ? object.members : object.canonicallyOrderedMembers
      for (position, member) in members.enumerated() {
        startLine(options, level: level + 1, isFirst: position == 0)
        write(string: member.name)
        write(options.isPretty ? " : " : ":")
        write(member.value, options: options, level: level + 1)
      }
      endContainer(UInt8(ascii: "}"), options, level: level, isEmpty: members.isEmpty)
    }
  }

  private mutating func startLine(_ options: JSONSerializationOptions, level: Int, isFirst: Bool) {
    if !isFirst { write(UInt8(ascii: ",")) }
    if options.isPretty { breakLine(level: level) }
  }

  private mutating func endContainer(_ bracket: UInt8, _ options: JSONSerializationOptions, level: Int, isEmpty: Bool) {
    if options.isPretty {
      // Foundation puts an empty line between the brackets of an empty container.
      if isEmpty { write(UInt8(ascii: "\n")) }
      breakLine(level: level)
    }
    write(bracket)
  }

  private mutating func breakLine(level: Int) {
    write(UInt8(ascii: "\n"))
    for _ in 0..<level { write("  ") }
  }
}
