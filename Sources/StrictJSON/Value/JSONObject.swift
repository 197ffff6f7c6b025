/// A JSON object: members in the order of the text, names unique and compared by their UTF-8 bytes.
///
/// Looking a member up scans the members in turn, which is quickest for the few that objects of this field have.
public struct JSONObject: Sendable {
  /// A member: its name and value.
  public typealias Member = (name: String, value: JSONValue)

  /// The members in order.
  public private(set) var members: [Member]

  /// An object without members.
  public init() {
    members = []
  }

  /// An object with these members in this order. Of two members of one name the later value stays, in the earlier place.
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
  public var names: [String] { members.map(\.name) }

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
