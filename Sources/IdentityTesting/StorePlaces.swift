import JOSE
import PureCrypto
import Synchronization

/// Where the stores that are checked live: files of databases, tables, items of a keychain.
public struct StorePlaces<Store: Sendable>: Sendable {
  let open: @Sendable (_ name: String) async throws -> Store
  let rewrite: @Sendable (_ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) async throws -> Void

  /// The test was not told how to reach the documents.
  private struct DocumentsOutOfReach: Error {}

  /// Places that are opened by name, and whose documents can be damaged.
  ///
  /// - Parameters:
  ///   - open: as for ``init(open:)``.
  ///   - rewriting: puts what `change` makes of it in the place of each document, the octets of a value's
  ///     `serialized()`, that the store has at the place of that name. It goes past the store, as a failing disk and a
  ///     newer version of the code do: columns and files that stand beside a document stay as they are.
  public init(
    open: @escaping @Sendable (_ name: String) async throws -> Store,
    rewriting:
      @escaping @Sendable (
        _ name: String, _ change: @escaping @Sendable (_ document: [UInt8]) -> [UInt8]
      ) async throws -> Void
  ) {
    (self.open, rewrite) = (open, rewriting)
  }

  /// Places that are opened by name.
  ///
  /// - Parameter open: a store at the place of that name, which is 32 hexadecimal digits. A new name is an empty place;
  ///   an old one holds what was written there. Each call should be another connection to the database, as processes
  ///   have one each: that is how crashes, and writers who don't know of each other, are tried.
  public init(open: @escaping @Sendable (_ name: String) async throws -> Store) {
    self.init(open: open) { _, _ in throw DocumentsOutOfReach() }
  }

  /// Places in memory, for stores that live as long as the process: each has one store, however often it is opened.
  ///
  /// - Parameter make: an empty store.
  public init(keeping make: @escaping @Sendable () -> Store) {
    let stores = KeptStores<Store>()
    self.init { name in stores.store(name, make) }
  }
}

/// Stores by the name of their place.
private final class KeptStores<Store: Sendable>: Sendable {
  private let stores = Mutex<[String: Store]>([:])

  func store(_ name: String, _ make: () -> Store) -> Store {
    stores.withLock { stores in
      let store = stores[name] ?? make()
      stores[name] = store
      return store
    }
  }
}

/// One place, empty at first.
package struct StorePlace<Store: Sendable>: Sendable {
  private let places: StorePlaces<Store>
  private let name: String

  init(_ places: StorePlaces<Store>) {
    self.places = places
    let digits = Array("0123456789abcdef".utf8)
    name = String(
      decoding: SystemRandom.bytes(count: 16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The store, through a connection of its own.
  package func open() async throws -> Store { try await places.open(name) }

  /// Damages the documents at this place.
  package func rewrite(_ change: @escaping @Sendable (_ document: [UInt8]) -> [UInt8]) async throws {
    try await places.rewrite(name, change)
  }

  /// An empty place beside this one.
  package var other: StorePlace { StorePlace(places) }

  /// How many of 32 attempts succeed that are made at once through four connections.
  package func successes(
    _ attempt: @escaping @Sendable (_ store: Store, _ number: Int) async throws -> Bool
  ) async throws -> Int {
    var stores: [Store] = []
    for _ in 0..<4 { stores.append(try await open()) }
    return try await withThrowingTaskGroup(of: Bool.self) { [stores] group in
      for number in 0..<32 { group.addTask { try await attempt(stores[number % 4], number) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }

  /// What becomes of a write whose task is cancelled: what it returned, or nil if it threw.
  package func cancelled<Value: Sendable>(
    _ write: @escaping @Sendable (_ store: Store) async throws -> Value
  ) async throws -> Value? {
    let store = try await open()
    let task = Task { try await write(store) }
    task.cancel()
    return try? await task.value
  }
}
