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
      throw JSONError(.numberOutOfRange, "the member \"\(name)\" is not a whole number of 64 bits")
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
    guard let value = try value() else { throw JSONError(.missingMember, "the member \"\(name)\" is missing") }
    return value
  }

  // The name in the reason is the one the caller asked for.
  private func optional<Value>(
    _ name: String, _ description: String, _ read: (JSONValue) -> Value?
  ) throws(JSONError) -> Value? {
    guard let member = self[name] else { return nil }
    guard let value = read(member) else {
      throw JSONError(.typeMismatch, "the member \"\(name)\" is not \(description)")
    }
    return value
  }
}
