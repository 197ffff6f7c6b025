import StrictJSON

/// How the JSON of signed messages is written. Receivers must not care.
package enum MessageText {
  /// The JSON text of an object, without white space or as a Mac writes it.
  package static func octets(_ object: JSONObject, isIndented: Bool) -> [UInt8] {
    isIndented ? Array(indented(.object(object), by: "").utf8) : object.serialized()
  }

  /// Foundation's way: a member a line, indented by two spaces, ` : ` between name and value, slashes as they are.
  private static func indented(_ value: JSONValue, by indent: String) -> String {
    let inner = indent + "  "
    switch value {
    case .object(let object):
      guard !object.isEmpty else { return "{\n\n\(indent)}" }
      let members = object.members.map { "\(inner)\(scalar(.string($0.name))) : \(indented($0.value, by: inner))" }
      return "{\n" + members.joined(separator: ",\n") + "\n\(indent)}"
    case .array(let elements):
      guard !elements.isEmpty else { return "[\n\n\(indent)]" }
      return "[\n" + elements.map { inner + indented($0, by: inner) }.joined(separator: ",\n") + "\n\(indent)]"
    default:
      return scalar(value)
    }
  }

  private static func scalar(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }
}
