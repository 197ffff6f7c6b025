import Synchronization

/// Values that were used lately, so that they need not be made anew. The one that was not used for longest makes room.
package final class RecentlyUsed<Key: Sendable, Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    let key: Key
    let value: Value
  }

  private let capacity: Int
  /// The most recently used last.
  private let entries = Mutex<[Entry]>([])

  package init(capacity: Int) {
    self.capacity = capacity
  }

  /// The value whose key this is, if it is kept.
  package func value(where isWanted: (Key) -> Bool) -> Value? {
    entries.withLock { entries in
      // Places in the list, each below its count: iterating over it would cost a reference to it.
      var place = entries.count - 1
      while place >= 0, !isWanted(entries[place].key) { place -= 1 }
      guard place >= 0 else { return nil }
      if place != entries.count - 1 { entries.append(entries.remove(at: place)) }
      return entries[entries.count - 1].value
    }
  }

  /// Keeps a value. Of two tasks that made the same value at once, both may keep theirs.
  package func insert(_ value: Value, for key: Key) {
    entries.withLock { entries in
      if entries.count == capacity { entries.removeFirst() }
      entries.append(Entry(key: key, value: value))
    }
  }

  /// How many values are kept.
  var count: Int { entries.withLock { $0.count } }
}
