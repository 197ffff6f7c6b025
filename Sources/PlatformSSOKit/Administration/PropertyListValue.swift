import JOSE
import StrictJSON

/// A property list in XML: the form of configuration profiles. Members are those of JSON, with data and dates besides.
///
/// Source: Apple, PropertyList-1.0.dtd.
public indirect enum PropertyListValue: Sendable, Hashable {
  /// `<string>`: text, with what XML reserves escaped.
  case string(String)
  /// `<integer>`: a number in decimal.
  case integer(Int64)
  /// `<true/>` or `<false/>`.
  case bool(Bool)
  /// `<data>`: octets, written in base64.
  case data([UInt8])
  /// `<array>`: values in this order.
  case array([PropertyListValue])
  /// `<dict>`, in this order.
  case dictionary([Entry])
  /// `<real>` or `<date>`, as its text: profiles of this kind have none of their own.
  case other(element: String, text: String)

  /// A member of a dictionary.
  public struct Entry: Sendable, Hashable {
    /// The member's name.
    public var key: String
    /// The member's value.
    public var value: PropertyListValue

    /// A member of a dictionary: `<key>` and the value behind it.
    public init(_ key: String, _ value: PropertyListValue) {
      self.key = key
      self.value = value
    }
  }

  /// The member of a dictionary; nil if this is no dictionary or has no such member. It is changed in its place, added
  /// at the end or, by nil, taken away; what is no dictionary stays as it is.
  package subscript(_ key: String) -> PropertyListValue? {
    get { place(of: key).flatMap { entries?[$0].value } }
    set {
      guard case .dictionary(var entries) = self else { return }
      switch (place(of: key), newValue) {
      case (let place?, let value?): entries[place].value = value
      case (let place?, nil): entries.remove(at: place)
      case (nil, let value?): entries.append(Entry(key, value))
      case (nil, nil): break
      }
      self = .dictionary(entries)
    }
  }

  /// Where a dictionary has the member of this name, octet by octet.
  func place(of key: String) -> Int? { entries?.firstIndex { $0.key.utf8.elementsEqual(key.utf8) } }

  /// The value in terms of property lists; nil for null and for numbers that are not integers.
  public init?(_ value: JSONValue) {
    switch value {
    case .string(let text): self = .string(text)
    case .bool(let bool): self = .bool(bool)
    case .number(let number):
      guard let integer = number.int64 else { return nil }
      self = .integer(integer)
    case .array(let elements):
      let values = elements.compactMap { PropertyListValue($0) }
      guard values.count == elements.count else { return nil }
      self = .array(values)
    case .object(let object):
      let entries = object.members.compactMap { member in
        PropertyListValue(member.value).map { Entry(member.name, $0) }
      }
      guard entries.count == object.count else { return nil }
      self = .dictionary(entries)
    default:
      return nil
    }
  }

  /// The text of a property list with this value.
  ///
  /// - Throws: `ErrorCode.claimInvalid`, named by the key, for a text with a character that XML doesn't have.
  package func xmlDocument() throws(JOSEError) -> String {
    try requireXML(key: "plist")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      \(xml(indent: ""))
      </plist>

      """
  }

  private func requireXML(key: String) throws(JOSEError) {
    func require(_ text: String, _ key: String) throws(JOSEError) {
      guard text.unicodeScalars.allSatisfy(XMLReader.isCharacter) else {
        throw JOSEError(.claimInvalid, "the text has a character that XML doesn't have", name: key)
      }
    }
    switch self {
    case .string(let text), .other(_, let text): try require(text, key)
    case .array(let elements): for element in elements { try element.requireXML(key: key) }
    case .dictionary(let entries):
      for entry in entries {
        try require(entry.key, key)
        try entry.value.requireXML(key: entry.key)
      }
    case .integer, .bool, .data: break
    }
  }

  private func xml(indent: String) -> String {
    let inner = indent + "\t"
    switch self {
    case .string(let text): return "\(indent)<string>\(Self.escaped(text))</string>"
    case .integer(let integer): return "\(indent)<integer>\(integer)</integer>"
    case .bool(let bool): return indent + (bool ? "<true/>" : "<false/>")
    case .data(let octets): return "\(indent)<data>\(Base64.encode(octets))</data>"
    case .other(let element, let text): return "\(indent)<\(element)>\(Self.escaped(text))</\(element)>"
    case .array(let elements):
      guard !elements.isEmpty else { return indent + "<array/>" }
      return "\(indent)<array>\n" + elements.map { $0.xml(indent: inner) }.joined(separator: "\n")
        + "\n\(indent)</array>"
    case .dictionary(let entries):
      guard !entries.isEmpty else { return indent + "<dict/>" }
      let members = entries.map { "\(inner)<key>\(Self.escaped($0.key))</key>\n\($0.value.xml(indent: inner))" }
      return "\(indent)<dict>\n" + members.joined(separator: "\n") + "\n\(indent)</dict>"
    }
  }

  private static func escaped(_ text: String) -> String {
    // Scalar by scalar, since a letter may be several. A carriage return would be read as the end of a line.
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\r": result += "&#13;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension PropertyListValue {
  /// The text of a string; nil for everything else.
  public var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The texts of an array that has nothing else.
  var texts: [String]? {
    guard case .array(let elements) = self else { return nil }
    let texts = elements.compactMap(\.text)
    return texts.count == elements.count ? texts : nil
  }

  /// The members of a dictionary.
  var entries: [Entry]? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries
  }

  /// The value in terms of JSON: data in base64, dates and reals as text.
  package var jsonValue: JSONValue {
    switch self {
    case .string(let text), .other(_, let text): .string(text)
    case .integer(let integer): .number(JSONNumber(integer))
    case .bool(let bool): .bool(bool)
    case .data(let octets): .string(Base64.encode(octets))
    case .array(let values): .array(values.map(\.jsonValue))
    case .dictionary(let entries): .object(JSONObject(entries.map { ($0.key, $0.value.jsonValue) }))
    }
  }
}
