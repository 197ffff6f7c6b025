/// Values under random names, which an attacker can't guess. With several machines, use a database.
actor RandomNames<Value: Sendable> {
  private var values: [String: Value] = [:]

  func insert(_ value: Value) -> String {
    let name = Self.make()
    values[name] = value
    return name
  }

  func remove(_ name: String) { values[name] = nil }

  func value(_ name: String) -> Value? { values[name] }

  /// 256 random bits.
  static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in String(random.next(), radix: 36) }.joined(separator: "-")
  }
}
