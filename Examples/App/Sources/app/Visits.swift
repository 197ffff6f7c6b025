import JOSE

/// Random names, which an attacker can't guess.
enum RandomName {
  /// 256 random bits.
  static func make() -> String { Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) }) }
}

/// Values by the name in a browser's cookie. The oldest are removed when there are too many. With several machines, use
/// a database.
actor Shelf<Value: Sendable> {
  private var values: [(name: String, value: Value)] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  func insert(_ value: Value) -> String {
    if values.count >= capacity { values.removeFirst() }
    let name = RandomName.make()
    values.append((name, value))
    return name
  }

  func value(_ name: String) -> Value? { values.last { $0.name == name }?.value }

  func take(_ name: String) -> Value? {
    values.lastIndex { $0.name == name }.map { values.remove(at: $0).value }
  }

  func takeAll(where isMeant: (Value) -> Bool) -> [Value] {
    let taken = values.filter { isMeant($0.value) }.map(\.value)
    values.removeAll { isMeant($0.value) }
    return taken
  }
}
