import NativeSSOKit

/// Values under random names, which an attacker can't guess. With several machines, use a database.
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
