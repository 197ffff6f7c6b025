/// The text of an object of strings, written member by member without a value tree.
package struct JSONObjectText {
  private var writer = JSONWriter()

  /// An object without members.
  /// - Parameter capacity: how many octets the text may well have.
  package init(capacity: Int) {
    writer.reserveCapacity(capacity)
    writer.write(UInt8(ascii: "{"))
  }

  /// Adds a member.
  /// - Parameter name: not there yet, without characters that need an escape.
  package mutating func append(_ name: StaticString, _ value: String) {
    if writer.count > 1 { writer.write(UInt8(ascii: ",")) }
    writer.write(UInt8(ascii: "\""))
    writer.write(name)
    writer.write("\":")
    writer.write(string: value)
  }

  /// The text, to which nothing can be added.
  package consuming func finished() -> [UInt8] {
    writer.write(UInt8(ascii: "}"))
    return writer.bytes
  }
}
