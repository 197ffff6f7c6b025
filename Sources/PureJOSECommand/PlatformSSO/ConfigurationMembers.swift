import JOSE

/// The members of an object in a configuration file, read one by one. What was not read by the end is unknown, and
/// refused.
struct ConfigurationMembers {
  /// Where in the file the object stands, with a dot at the end; empty for the whole file.
  let path: String
  private var rest: JSONObject

  /// What members were called once, and what they are called now.
  private static let formerNames = [
    "certificateForm": "writesCertificateArray", "shortCoordinates": "acceptsShortCoordinates",
    "refreshWithoutEndpoint": "refreshesAtTokenEndpoint", "refreshAudience": "namesTokenEndpointInRefreshRequests",
    "extensionSDK": "isBuiltForMacOS13", "federationType": "isFederated or authorizationURL",
  ]

  init(_ object: JSONObject, path: String = "") {
    rest = object
    self.path = path
  }

  /// The member of a name, or nil. It counts as read.
  mutating func value(_ name: String) -> JSONValue? {
    defer { rest[name] = nil }
    return rest[name]
  }

  /// Whether a member is there that has not been read.
  func has(_ name: String) -> Bool { rest[name] != nil }

  mutating func string(_ name: String) throws(CommandFailure) -> String {
    guard let value = try string(ifPresent: name) else { throw missing(name) }
    return value
  }

  mutating func string(ifPresent name: String) throws(CommandFailure) -> String? {
    try typed(name, "a string", \.stringValue)
  }

  mutating func bool(ifPresent name: String) throws(CommandFailure) -> Bool? {
    try typed(name, "true or false", \.boolValue)
  }

  mutating func number(ifPresent name: String) throws(CommandFailure) -> Double? {
    try typed(name, "a number", \.doubleValue)
  }

  mutating func integer(ifPresent name: String) throws(CommandFailure) -> Int? {
    try typed(name, "a whole number", { value in value.int64Value.flatMap { Int(exactly: $0) } })
  }

  mutating func strings(ifPresent name: String) throws(CommandFailure) -> [String]? {
    try typed(name, "an array of strings") { value in
      guard let elements = value.arrayValue else { return nil }
      let strings = elements.compactMap(\.stringValue)
      return strings.count == elements.count ? strings : nil
    }
  }

  mutating func object(ifPresent name: String) throws(CommandFailure) -> JSONObject? {
    try typed(name, "an object", \.objectValue)
  }

  /// An object whose members are read one by one in turn.
  mutating func members(ifPresent name: String) throws(CommandFailure) -> ConfigurationMembers? {
    try object(ifPresent: name).map { ConfigurationMembers($0, path: "\(path)\(name).") }
  }

  mutating func members(_ name: String) throws(CommandFailure) -> ConfigurationMembers {
    guard let members = try members(ifPresent: name) else { throw missing(name) }
    return members
  }

  /// An array of such objects; none if the member is absent.
  mutating func elements(_ name: String) throws(CommandFailure) -> [ConfigurationMembers] {
    let objects = try typed(name, "an array of objects") { value -> [JSONObject]? in
      guard let elements = value.arrayValue else { return nil }
      let objects = elements.compactMap(\.objectValue)
      return objects.count == elements.count ? objects : nil
    }
    return (objects ?? []).enumerated().map { index, object in
      ConfigurationMembers(object, path: "\(path)\(name)[\(index)].")
    }
  }

  /// One of a few words; the property's present value if absent.
  mutating func choose<Choice>(
    _ name: String, for property: inout Choice, _ choices: KeyValuePairs<String, Choice>
  ) throws(CommandFailure) {
    guard let word = try string(ifPresent: name) else { return }
    guard let choice = choices.first(where: { $0.key.utf8.elementsEqual(word.utf8) }) else {
      throw .usage("\(path)\(name) in the configuration must be \(choices.map(\.key).joined(separator: " or "))")
    }
    property = choice.value
  }

  /// Refuses members that were not read.
  func finish() throws(CommandFailure) {
    guard let name = rest.names.first else { return }
    if let present = Self.formerNames[name] {
      throw .usage("\(path)\(name) in the configuration is called \(present) now")
    }
    let isWord = name.utf8.count <= 64 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    throw .usage("\(path)\(isWord ? name : "a member") in the configuration is unknown")
  }

  func missing(_ name: String) -> CommandFailure { .usage("\(path)\(name) is missing in the configuration") }

  private mutating func typed<Value>(
    _ name: String, _ description: String, _ read: (JSONValue) -> Value?
  ) throws(CommandFailure) -> Value? {
    guard let value = value(name) else { return nil }
    guard let typed = read(value) else { throw .usage("\(path)\(name) in the configuration must be \(description)") }
    return typed
  }
}
