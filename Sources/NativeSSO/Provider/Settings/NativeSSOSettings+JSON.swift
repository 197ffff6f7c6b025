import StrictJSON

extension NativeSSOSettings {
  /// The settings as plain JSON, `rateLimit` nested.
  public var jsonObject: JSONObject {
    var object = JSONObject()
    for setting in SettingDefinition.all { object.set(setting.value(self), at: setting.name) }
    return object
  }

  /// These settings with some replaced. Those that `changes` does not name keep their values; `rateLimit` merges member by member.
  ///
  /// - Throws: ``NativeSSOErrorCode/settingInvalid``, naming a setting that is unknown, of another type or out of range. Nothing is
  ///   changed then.
  public func updating(with changes: JSONObject) throws(NativeSSOError) -> NativeSSOSettings {
    var settings = self
    for (name, value) in try changes.flattened() {
      guard let definition = SettingDefinition.all.first(where: { $0.name.hasSameBytes(as: name) }) else {
        throw NativeSSOError(.settingInvalid, "there is no such setting")
      }
      try definition.set(&settings, value)
    }
    return settings
  }

  /// The defaults with what can be made of stored values; see ``updating(with:)`` for the strict way.
  public static func loading(_ stored: JSONObject) -> NativeSSOSettings {
    var settings = NativeSSOSettings()
    for definition in SettingDefinition.all {
      if let value = stored.value(at: definition.name) { definition.load(&settings, value) }
    }
    return settings
  }
}

extension JSONObject {
  /// The value at a name, of which a dot leads into a nested object.
  func value(at name: String) -> JSONValue? {
    let parts = name.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else { return self[name] }
    return self[String(parts[0])]?.objectValue?[String(parts[1])]
  }

  /// Sets the value at a name, of which a dot leads into a nested object.
  mutating func set(_ value: JSONValue, at name: String) {
    let parts = name.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else {
      self[name] = value
      return
    }
    var nested = self[String(parts[0])]?.objectValue ?? [:]
    nested[String(parts[1])] = value
    self[String(parts[0])] = .object(nested)
  }

  /// The members with `rateLimit` taken apart.
  fileprivate func flattened() throws(NativeSSOError) -> [(String, JSONValue)] {
    var flat: [(String, JSONValue)] = []
    for (name, value) in members {
      guard name.hasSameBytes(as: "rateLimit") else {
        flat.append((name, value))
        continue
      }
      guard case .object(let nested) = value else {
        throw NativeSSOError(.settingInvalid, "the setting is no object", name: "rateLimit")
      }
      for (inner, value) in nested.members { flat.append(("rateLimit." + inner, value)) }
    }
    return flat
  }
}
