import NativeSSOKit

/// Values under names that nobody can guess. A database, where there are several machines.
actor OneTimeStore<Value: Sendable> {
  private var values: [String: Value] = [:]

  func insert(_ value: Value) -> String {
    let name = DeviceSecret.random().reveal()
    values[name] = value
    return name
  }

  func take(_ name: String) -> Value? { values.removeValue(forKey: name) }

  func value(_ name: String) -> Value? { values[name] }
}
