/// A JSON object: members in the order of the text, names unique and compared by their UTF-8 bytes.
///
/// Looking a member up scans the members in turn, which is quickest for the few that objects of this field have.
public struct JSONObject: Sendable {
  /// A member: its name and value.
  package typealias Member = (name: String, value: JSONValue)

  /// The members in order.
  public private(set) var members: [(name: String, value: JSONValue)]

  /// An object without members.
  public init() {
    members = []
  }

  /// An object with these members in this order. Of two members of one name the later value stays, in the earlier
  /// place.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    self.init()
    for (name, value) in members { self[name] = value }
  }

  /// Takes members whose names are known to be unique.
  package init(uniqueMembers: [Member]) {
    members = uniqueMembers
  }

  /// Parses a JSON text that is an object, as ``JSONValue/init(parsing:limits:)`` does.
  /// - Throws: what that throws, and ``JSONError/Code/typeMismatch`` when the text is another value.
  public init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    self = try JSONDocument(parsing: bytes, limits: limits).root.object()
  }

  /// How many members the object has.
  public var count: Int { members.count }

  /// Whether the object has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The names in order.
  package var names: [String] { members.map(\.name) }

  /// Whether there is a member of this name, be it `null`.
  public func contains(_ name: String) -> Bool { index(of: name) != nil }

  /// The value of a member; nil when there is none. Setting replaces in place, appends, or with nil removes.
  public subscript(_ name: String) -> JSONValue? {
    get { index(of: name).map { members[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((name, value))
      case (nil, nil): break
      }
    }
  }

  private func index(of name: String) -> Int? {
    members.firstIndex { $0.name.hasSameBytes(as: name) }
  }
}

extension JSONObject: Hashable {
  /// Whether both have the same members, in any order.
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    guard lhs.count == rhs.count else { return false }
    // Same order is the common case. Otherwise both are sorted, which keeps large objects out of quadratic time.
    if zip(lhs.members, rhs.members).allSatisfy({ $0.name.hasSameBytes(as: $1.name) }) {
      return zip(lhs.members, rhs.members).allSatisfy { $0.value == $1.value }
    }
    return zip(lhs.canonicallyOrderedMembers, rhs.canonicallyOrderedMembers)
      .allSatisfy { $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for (name, value) in canonicallyOrderedMembers {
      name.hashBytes(into: &hasher)
      hasher.combine(value)
    }
  }

  /// The members sorted by the UTF-16 code units of their names.
  var canonicallyOrderedMembers: [Member] {
    members.sorted { $0.name.precedesByUTF16CodeUnits($1.name) }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with the members in the order given. Of two members of one name the later value stays.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements)
  }
}

/// Members of a known type. Absent, `null` and of another type are three different things here: the first form demands
/// the member, the second takes its absence for nil, and both refuse `null`.
extension JSONObject {
  /// The string of this name.
  /// - Throws: ``JSONError/Code/missingMember``, ``JSONError/Code/typeMismatch``.
  public func string(_ name: String) throws(JSONError) -> String {
    try required(name, try string(ifPresent: name))
  }

  /// The string of this name, or nil when there is no such member.
  /// - Throws: ``JSONError/Code/typeMismatch``.
  public func string(ifPresent name: String) throws(JSONError) -> String? {
    try optional(name, "a string", \.stringValue)
  }

  /// The boolean of this name.
  /// - Throws: ``JSONError/Code/missingMember``, ``JSONError/Code/typeMismatch``.
  public func bool(_ name: String) throws(JSONError) -> Bool {
    try required(name, try bool(ifPresent: name))
  }

  /// The boolean of this name, or nil when there is no such member.
  /// - Throws: ``JSONError/Code/typeMismatch``.
  public func bool(ifPresent name: String) throws(JSONError) -> Bool? {
    try optional(name, "true or false", \.boolValue)
  }

  /// The number of this name.
  /// - Throws: ``JSONError/Code/missingMember``, ``JSONError/Code/typeMismatch``.
  public func number(_ name: String) throws(JSONError) -> JSONNumber {
    try required(name, try number(ifPresent: name))
  }

  /// The number of this name, or nil when there is no such member.
  /// - Throws: ``JSONError/Code/typeMismatch``.
  public func number(ifPresent name: String) throws(JSONError) -> JSONNumber? {
    try optional(name, "a number", \.numberValue)
  }

  /// The whole number of this name.
  /// - Throws: ``JSONError/Code/missingMember``, ``JSONError/Code/typeMismatch``, ``JSONError/Code/numberOutOfRange``.
  public func integer(_ name: String) throws(JSONError) -> Int64 {
    try required(name, try integer(ifPresent: name))
  }

  /// The whole number of this name, or nil when there is no such member.
  /// - Throws: ``JSONError/Code/typeMismatch``, ``JSONError/Code/numberOutOfRange``.
  public func integer(ifPresent name: String) throws(JSONError) -> Int64? {
    guard let number = try number(ifPresent: name) else { return nil }
    guard let value = number.int64 else {
      throw JSONError(.numberOutOfRange, composed: "the member \"\(name)\" is not a whole number of 64 bits")
    }
    return value
  }

  /// The elements of the array of this name.
  /// - Throws: ``JSONError/Code/missingMember``, ``JSONError/Code/typeMismatch``.
  public func array(_ name: String) throws(JSONError) -> [JSONValue] {
    try required(name, try array(ifPresent: name))
  }

  /// The elements of the array of this name, or nil when there is no such member.
  /// - Throws: ``JSONError/Code/typeMismatch``.
  public func array(ifPresent name: String) throws(JSONError) -> [JSONValue]? {
    try optional(name, "an array", \.arrayValue)
  }

  /// The object of this name.
  /// - Throws: ``JSONError/Code/missingMember``, ``JSONError/Code/typeMismatch``.
  public func object(_ name: String) throws(JSONError) -> JSONObject {
    try required(name, try object(ifPresent: name))
  }

  /// The object of this name, or nil when there is no such member.
  /// - Throws: ``JSONError/Code/typeMismatch``.
  public func object(ifPresent name: String) throws(JSONError) -> JSONObject? {
    try optional(name, "an object", \.objectValue)
  }

  private func required<Value>(
    _ name: String, _ value: @autoclosure () throws(JSONError) -> Value?
  ) throws(JSONError) -> Value {
    guard let value = try value() else {
      throw JSONError(.missingMember, composed: "the member \"\(name)\" is missing")
    }
    return value
  }

  // The name in the reason is the one the caller asked for.
  private func optional<Value>(
    _ name: String, _ description: String, _ read: (JSONValue) -> Value?
  ) throws(JSONError) -> Value? {
    guard let member = self[name] else { return nil }
    guard let value = read(member) else {
      throw JSONError(.typeMismatch, composed: "the member \"\(name)\" is not \(description)")
    }
    return value
  }
}
