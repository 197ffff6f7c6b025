import JOSE
import StrictJSON

/// Where the settings that an administrator has changed are kept.
public protocol SettingsStore: Sendable {
  /// What was saved, or nil if nothing was.
  ///
  /// - Throws: `JSONError` for what can't be read, which an administrator's reset removes; anything else.
  ///   ``SettingsResolver`` throws it on, and requests are answered with `server_error`.
  func load() async throws -> JSONObject?

  /// Replaces what was saved, or removes it with nil, if it is still `expected`. Returns whether it was. What can't be
  /// read counts as nothing saved.
  ///
  /// - Throws: anything; ``SettingsResolver`` throws it on, and requests are answered with `server_error`.
  func replace(expecting expected: JSONObject?, with override: JSONObject?) async throws -> Bool
}

/// Settings in memory.
public actor InMemorySettingsStore: SettingsStore {
  private var override: JSONObject?

  /// A store with nothing saved, or with this.
  public init(_ override: JSONObject? = nil) { self.override = override }

  /// What was saved.
  public func load() -> JSONObject? { override }

  /// Replaces what was saved, if it is still what the caller saw.
  public func replace(expecting expected: JSONObject?, with override: JSONObject?) -> Bool {
    guard self.override == expected else { return false }
    self.override = override
    return true
  }
}

/// Finds the settings in force: what the code fixes, over what is stored, over the environment, over the defaults.
public struct SettingsResolver: Sendable {
  /// Where a setting's value comes from.
  public enum Source: String, Sendable, Hashable {
    /// Fixed by the program.
    case code
    /// Stored by an administrator.
    case stored = "kv"
    /// The environment.
    case environment = "env"
    /// Nobody said anything.
    case `default`
  }

  private let fixed: JSONObject
  private let store: any SettingsStore
  private let environment: [String: String]
  private let cache: SettingsCache

  /// A resolver.
  ///
  /// - Parameters:
  ///   - fixed: settings that nobody can change, under their JSON names, nested as in JSON.
  ///   - store: what an administrator has changed.
  ///   - environment: variables named `NATIVE_SSO_…`, such as `NATIVE_SSO_ENABLED`.
  ///   - cacheLifetime: for how many seconds requests are served without asking the store again. So long a change takes
  ///     to reach other machines; on the one that makes it, it counts at once. 0 to ask each time.
  ///   - clock: tells when that time is over.
  /// - Throws: `ErrorCode.settingInvalid` if a fixed setting is unknown or out of range.
  public init(
    fixed: JSONObject = [:], store: any SettingsStore = InMemorySettingsStore(), environment: [String: String] = [:],
    cacheLifetime: Double = 180, clock: WallClock = .system
  ) throws(NativeSSOError) {
    _ = try NativeSSOSettings().updating(with: fixed)
    self.fixed = fixed
    self.store = store
    self.environment = environment
    cache = SettingsCache(lifetime: cacheLifetime, clock: clock)
  }

  /// Settings that are fixed by the program, all of them.
  public init(_ settings: NativeSSOSettings) {
    fixed = settings.jsonObject
    store = InMemorySettingsStore()
    environment = [:]
    cache = SettingsCache(lifetime: 0, clock: .system)
  }

  /// The settings in force, as they were at most a cache's lifetime ago.
  ///
  /// - Throws: what the store throws.
  public func settings() async throws -> NativeSSOSettings {
    if let settings = cache.settings { return settings }
    return try await resolved().settings
  }

  /// The settings in force now, and where each comes from, by its dotted name. Asks the store.
  ///
  /// - Throws: what the store throws.
  public func resolved() async throws -> (settings: NativeSSOSettings, sources: [String: Source]) {
    let mark = cache.mark
    let resolved = resolved(stored: try await store.load() ?? [:])
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

  /// Stores changes: what they don't name stays as it is.
  ///
  /// - Throws: `ErrorCode.settingInvalid`, also for a setting that the program fixes to another value, and
  ///   what the store throws.
  public func update(_ changes: JSONObject) async throws -> NativeSSOSettings {
    defer { cache.forget() }
    // Another administrator can be faster each time, but not for ever.
    for _ in 0..<Self.rounds {
      let stored = try await store.load()
      let base = NativeSSOSettings.loading(stored ?? [:])
      let wanted = try base.updating(with: changes)
      for definition in SettingDefinition.all where fixed.value(at: definition.name) != nil {
        let pinned = definition.value(resolved(stored: stored ?? [:]).settings)
        guard changes.value(at: definition.name) == nil || definition.value(wanted) == pinned else {
          throw NativeSSOError(.settingInvalid, "the program fixes the setting", name: definition.name)
        }
      }
      var override = stored ?? [:]
      for definition in SettingDefinition.all {
        if let value = changes.value(at: definition.name) { override.set(value, at: definition.name) }
      }
      if try await store.replace(expecting: stored, with: override) { return resolved(stored: override).settings }
    }
    throw Self.contended
  }

  /// Removes what is stored, also what can't be read.
  ///
  /// - Throws: what the store throws.
  public func reset() async throws {
    defer { cache.forget() }
    for _ in 0..<Self.rounds {
      let stored: JSONObject?
      do {
        stored = try await store.load()
      } catch is JSONError {
        stored = nil
      }
      if try await store.replace(expecting: stored, with: nil) { return }
    }
    throw Self.contended
  }

  private static let rounds = 32
  private static var contended: NativeSSOError {
    NativeSSOError(.storeUnavailable, "others keep changing the settings")
  }
}
