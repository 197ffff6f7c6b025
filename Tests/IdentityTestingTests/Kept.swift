import Synchronization

/// Stores by the name of their place.
final class Kept<Concrete: Sendable>: Sendable {
  private let make: @Sendable () -> Concrete
  private let stores = Mutex<[String: Concrete]>([:])

  init(_ make: @escaping @Sendable () -> Concrete) { self.make = make }

  func store(_ name: String) -> Concrete {
    stores.withLock { stores in
      let store = stores[name] ?? make()
      stores[name] = store
      return store
    }
  }
}
