import JOSE
import NativeSSOKit
import IdentityTesting
import StrictJSON
import Synchronization
import OpenIDKit

/// What a store makes of documents that can't be read, if it makes the wrong thing of them.
enum DocumentFault: CaseIterable, Sendable {
  /// Says that there is nothing.
  case saysNothing
  /// Takes a newer form for the one that it knows, and a document without a version too.
  case readsAnyVersion
  /// Fails for ever: what can't be read is never replaced nor removed.
  case neverHeals
  /// What can't be read makes everything fail.
  case stumbles
  /// Goes by what stands beside the document: its version is still known.
  case trustsColumns
  /// Starts anew, without what stood beside the document.
  case losesOthers
}

/// A store that keeps documents.
protocol DocumentKeeping: Actor {
  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8])
}

/// Places of stores in memory whose documents can be damaged.
func documentPlaces<Concrete: DocumentKeeping, Store: Sendable>(
  _ make: @escaping @Sendable () -> Concrete, as view: @escaping @Sendable (Concrete) -> Store
) -> StorePlaces<Store> {
  let kept = Kept(make)
  return StorePlaces {
    view(kept.store($0))
  } rewriting: {
    await kept.store($0).rewrite($1)
  }
}

private final class Kept<Concrete: Sendable>: Sendable {
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

/// Documents under names, with columns beside them.
struct DocumentTable<Columns: Sendable>: Sendable {
  struct Row: Sendable {
    var columns: Columns
    var document: [UInt8]
  }

  let fault: DocumentFault?
  private(set) var rows: [[UInt8]: Row] = [:]
  /// The order in which the rows came.
  private(set) var order: [[UInt8]] = []

  init(_ fault: DocumentFault?) { self.fault = fault }

  mutating func put(_ name: String, _ columns: Columns, _ document: [UInt8]) {
    let name = Array(name.utf8)
    if rows[name] == nil { order.append(name) }
    rows[name] = Row(columns: columns, document: document)
  }

  mutating func remove(_ name: String) {
    rows[Array(name.utf8)] = nil
    order.removeAll { $0 == Array(name.utf8) }
  }

  mutating func removeAll() { (rows, order) = ([:], []) }

  func columns(_ name: String) -> Columns? { rows[Array(name.utf8)]?.columns }

  /// All columns, in the order in which the rows came.
  var all: [Columns] { order.compactMap { rows[$0]?.columns } }

  /// The value of a name.
  func value<Value>(_ name: String, _ parse: ([UInt8]) throws -> Value) throws -> Value? {
    if fault == .stumbles { for row in rows.values { _ = try parse(row.document) } }
    guard let document = rows[Array(name.utf8)]?.document else { return nil }
    do {
      return try parse(document)
    } catch {
      switch fault {
      case .saysNothing: return nil
      case .readsAnyVersion: return try parse(Self.ofFirstVersion(document))
      default: throw error
      }
    }
  }

  mutating func rewrite(_ change: (_ document: [UInt8]) -> [UInt8]) {
    for (name, row) in rows { rows[name]?.document = change(row.document) }
  }

  private static func ofFirstVersion(_ document: [UInt8]) -> [UInt8] {
    guard var object = try? JSONObject(parsing: document) else { return document }
    object["version"] = 1
    object["v"] = 1
    return object.serialized()
  }
}
