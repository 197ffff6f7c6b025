import JOSE
import PureCrypto
import StrictJSON

/// Finds the settings in force: what the code fixes, over what is stored, over the environment, over the defaults.
public struct SettingsResolver: Sendable {
  /// Where a setting's value comes from.
  public enum Source: String, Sendable, Hashable {
    /// Fixed by the program.
    case code
    /// Stored by an administrator.
    case stored = "kv"
    /// A variable of the process's environment.
    case environment = "env"
    /// The default: no source has a value.
    case `default`
  }

  private let fixed: JSONObject
  private static let kind = StoredRecord.Kind(library: "native-sso-settings")
  private let records: any RecordStore
  private let environment: [String: String]
  private let cache: SettingsCache
  private let clock: WallClock

  /// A resolver.
  ///
  /// - Parameters:
  ///   - fixed: settings that administrators can't change, under their JSON names, nested as in JSON.
  ///   - records: where it is kept what an administrator has changed.
  ///   - environment: variables named `NATIVE_SSO_…`, such as `NATIVE_SSO_ENABLED`.
  ///   - cacheLifetime: for how long requests are served without asking again. A change takes this long to reach other
  ///     machines; on the one that makes it, it counts at once. Zero to ask each time.
  ///   - clock: tells when that time is over.
  /// - Throws: `ErrorCode.settingInvalid` if a fixed setting is unknown or out of range.
  public init(
    fixed: JSONObject = [:], records: any RecordStore = MemoryRecordStore(), environment: [String: String] = [:],
    cacheLifetime: Duration = .seconds(180), clock: WallClock = .system
  ) throws(JOSEError) {
    _ = try NativeSSOSettings().updating(with: fixed)
    self.fixed = fixed
    self.records = records
    self.environment = environment
    self.clock = clock
    cache = SettingsCache(lifetime: cacheLifetime, clock: clock)
  }

  /// Settings that are fixed by the program, all of them.
  public init(_ settings: NativeSSOSettings) {
    fixed = settings.jsonObject
    records = MemoryRecordStore()
    environment = [:]
    clock = .system
    cache = SettingsCache(lifetime: .zero, clock: .system)
  }

  /// The settings in force, as they were at most a cache's lifetime ago.
  ///
  /// - Throws: `JSONError` if what is stored can't be read; what the records throw.
  public func settings() async throws -> NativeSSOSettings {
    if let settings = cache.settings { return settings }
    return try await resolved().settings
  }

  /// The settings in force now, and where each comes from, by its dotted name. Asks the records.
  ///
  /// - Throws: `JSONError` if what is stored can't be read; what the records throw.
  public func resolved() async throws -> (settings: NativeSSOSettings, sources: [String: Source]) {
    let mark = cache.mark
    let resolved = resolved(stored: try Self.settings(try await records.record(Self.kind, key: [])) ?? [:])
    cache.keep(resolved.settings, asOf: mark)
    return resolved
  }

  private func resolved(stored: JSONObject) -> (settings: NativeSSOSettings, sources: [String: Source]) {
    var settings = NativeSSOSettings()
    var sources: [String: Source] = [:]
    for definition in SettingDefinition.all {
      let variable = environment[definition.environmentName].flatMap(definition.value(environment:))
      let candidates: [(Source, JSONValue?)] = [
        (.code, fixed.value(at: definition.name)), (.stored, stored.value(at: definition.name)),
        (.environment, variable),
      ]
      sources[definition.name] = .default
      for case (let source, let value?) in candidates {
        definition.load(&settings, value)
        sources[definition.name] = source
        break
      }
    }
    return (settings, sources)
  }

  /// What a record says.
  private static func settings(_ record: StoredRecord?) throws(JSONError) -> JSONObject? {
    guard let record else { return nil }
    return try JSONObject(parsing: record.document)
  }

  /// Stores changes: what they don't name stays as it is.
  ///
  /// - Throws: `ErrorCode.settingInvalid`, also for a setting that the program fixes to another value;
  ///   `JSONError` if what is stored can't be read; what the records throw.
  public func update(_ changes: JSONObject) async throws -> NativeSSOSettings {
    defer { cache.forget() }
    var override: JSONObject = [:]
    _ = try await records.update(Self.kind, key: []) { known in
      let stored = try Self.settings(known)
      override = try overriding(stored ?? [:], with: changes)
      let record = StoredRecord(
        kind: Self.kind, key: [], version: known?.version ?? 0, createdAt: clock.now, document: override.serialized(),
        attempt: SystemRandom.bytes(count: 16))
      return [known == nil ? .insert(record) : .replace(record)]
    }
    return resolved(stored: override).settings
  }

  /// What is stored, with changes.
  private func overriding(_ stored: JSONObject, with changes: JSONObject) throws(JOSEError) -> JSONObject {
    let wanted = try NativeSSOSettings.loading(stored).updating(with: changes)
    for definition in SettingDefinition.all where fixed.value(at: definition.name) != nil {
      let pinned = definition.value(resolved(stored: stored).settings)
      guard changes.value(at: definition.name) == nil || definition.value(wanted) == pinned else {
        throw JOSEError(.settingInvalid, "the program fixes the setting", name: definition.name)
      }
    }
    var override = stored
    for definition in SettingDefinition.all {
      if let value = changes.value(at: definition.name) { override.set(value, at: definition.name) }
    }
    return override
  }

  /// Removes what is stored, also what can't be read.
  ///
  /// - Throws: what the records throw.
  public func reset() async throws {
    defer { cache.forget() }
    try await records.remove(Self.kind, key: [])
  }
}
