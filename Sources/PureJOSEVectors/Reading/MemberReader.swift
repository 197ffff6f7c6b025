import JOSE
import StrictJSON

/// Reads the members of a JSON object and remembers which of them were asked for.
///
/// A member that is not read is a check that is not made, so the runner fails a test that has one.
final class MemberReader {
  private let members: [JSONObject.Member]
  private var isRead: [Bool]
  private var children: [(name: String, reader: MemberReader)] = []

  init(_ object: JSONObject) {
    members = object.members
    isRead = Array(repeating: false, count: members.count)
  }

  /// The names of the members that were never asked for; those of nested objects with their path.
  var unread: [String] {
    zip(members, isRead).filter { !$0.1 }.map { $0.0.name }
      + children.flatMap { child in child.reader.unread.map { "\(child.name).\($0)" } }
  }

  /// The names of all members, in the order of the file. Asking for names reads nothing.
  var names: [String] { members.map(\.name) }

  func has(_ name: String) -> Bool { index(of: name) != nil }

  /// Whether a member is there and not null. Asking for it reads nothing.
  func hasValue(_ name: String) -> Bool { index(of: name).map { !members[$0].value.isNull } ?? false }

  func value(ifPresent name: String) -> JSONValue? {
    guard let index = index(of: name) else { return nil }
    isRead[index] = true
    return members[index].value
  }

  func value(_ name: String) throws(VectorFault) -> JSONValue {
    guard let value = value(ifPresent: name) else { throw .malformed("member \(name) is missing") }
    return value
  }

  func string(_ name: String) throws(VectorFault) -> String {
    guard let string = try value(name).stringValue else { throw .malformed("member \(name) is not a text") }
    return string
  }

  func string(ifPresent name: String) throws(VectorFault) -> String? {
    has(name) ? try string(name) : nil
  }

  func integer(_ name: String) throws(VectorFault) -> Int {
    guard let number = try value(name).int64Value, let integer = Int(exactly: number) else {
      throw .malformed("member \(name) is not an integer")
    }
    return integer
  }

  /// An integer that decides how much is computed, or how long something is.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(VectorFault) -> Int {
    let integer = try integer(name)
    guard range.contains(integer) else { throw .malformed("member \(name) is out of range") }
    return integer
  }

  func integer(ifPresent name: String) throws(VectorFault) -> Int? {
    has(name) ? try integer(name) : nil
  }

  func boolean(_ name: String) throws(VectorFault) -> Bool {
    guard let boolean = try value(name).boolValue else { throw .malformed("member \(name) is not a boolean") }
    return boolean
  }

  func boolean(ifPresent name: String) throws(VectorFault) -> Bool? {
    has(name) ? try boolean(name) : nil
  }

  /// The octets of a hexadecimal text.
  func octets(_ name: String) throws(VectorFault) -> [UInt8] {
    guard let octets = Hex.decode(try string(name)) else { throw .malformed("member \(name) is not hexadecimal") }
    return octets
  }

  func octets(ifPresent name: String) throws(VectorFault) -> [UInt8]? {
    has(name) ? try octets(name) : nil
  }

  func strings(_ name: String) throws(VectorFault) -> [String] {
    guard let array = try value(name).arrayValue else { throw .malformed("member \(name) is not an array") }
    let strings = array.compactMap(\.stringValue)
    guard strings.count == array.count else { throw .malformed("member \(name) holds something else than texts") }
    return strings
  }

  func strings(ifPresent name: String) throws(VectorFault) -> [String]? {
    has(name) ? try strings(name) : nil
  }

  /// A nested object. Its unread members count as unread members of this one.
  func object(_ name: String) throws(VectorFault) -> MemberReader {
    guard let object = try value(name).objectValue else { throw .malformed("member \(name) is not an object") }
    return child(object, name)
  }

  func object(ifPresent name: String) throws(VectorFault) -> MemberReader? {
    has(name) ? try object(name) : nil
  }

  /// The elements of an array of objects, each with a reader of its own that this one doesn't answer for.
  func objects(_ name: String) throws(VectorFault) -> [MemberReader] {
    guard let array = try value(name).arrayValue else { throw .malformed("member \(name) is not an array") }
    let objects = array.compactMap(\.objectValue)
    guard objects.count == array.count else { throw .malformed("member \(name) holds something else than objects") }
    return objects.map(MemberReader.init)
  }

  /// A nested object as a value, all of it read.
  func jsonObject(_ name: String) throws(VectorFault) -> JSONObject {
    guard let object = try value(name).objectValue else { throw .malformed("member \(name) is not an object") }
    return object
  }

  func jsonObject(ifPresent name: String) throws(VectorFault) -> JSONObject? {
    has(name) ? try jsonObject(name) : nil
  }

  private func child(_ object: JSONObject, _ name: String) -> MemberReader {
    if let known = children.first(where: { $0.name == name }) { return known.reader }
    let reader = MemberReader(object)
    children.append((name, reader))
    return reader
  }

  private func index(of name: String) -> Int? {
    members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

extension MemberReader {
  /// The octets of a base64url text.
  func base64URL(_ name: String) throws(VectorFault) -> [UInt8] {
    let text = try string(name)
    do throws(JOSEError) {
      return try Base64URL.decode(text)
    } catch {
      throw .malformed("member \(name) is not base64url")
    }
  }

  func base64URL(ifPresent name: String) throws(VectorFault) -> [UInt8]? {
    has(name) ? try base64URL(name) : nil
  }
}

extension MemberReader {
  /// The algorithm that a member names.
  /// - Throws: ``VectorFault/notImplemented(_:)`` with the first name that `isImplemented` denies, or when there are
  ///   several.
  func implementedName(_ name: String, _ isImplemented: (String) -> Bool) throws(VectorFault) -> String {
    guard let names = try value(name).arrayValue?.compactMap(\.stringValue) else {
      let single = try string(name)
      guard isImplemented(single) else { throw .notImplemented(single) }
      return single
    }
    throw .notImplemented(names.first { !isImplemented($0) } ?? "JSON serialization (general)")
  }

  /// The protected header in base64url, which must be that of the object beside it.
  func encodedHeader() throws(VectorFault) -> String {
    let header = try jsonObject("protected")
    let encoded = try string("protected_b64u")
    guard let octets = try? Base64URL.decode(encoded), (try? JSONObject(parsing: octets)) == header else {
      throw .malformed("protected_b64u is not the header")
    }
    return encoded
  }

  /// The same token in JSON serialization, as far as the example has it.
  func otherSerializations() throws(VectorFault) -> [MemberReader] {
    var serializations: [MemberReader] = []
    for name in ["json", "json_flat"] {
      if let serialization = try object(ifPresent: name) { serializations.append(serialization) }
    }
    return serializations
  }

  /// Requires that a member is a certain text.
  func requireString(_ name: String, _ expected: String) throws(VectorFault) {
    guard try string(name).utf8.elementsEqual(expected.utf8) else {
      throw .malformed("member \(name) is not the part of the compact token")
    }
  }
}
