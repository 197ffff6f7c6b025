/// Keys by the moment they expire, the earliest first: a binary heap.
///
/// Invariant: no entry expires before its parent, which for the entry at `i > 0` is the one at `(i − 1) / 2`.
struct RecordExpiries: Sendable {
  struct Entry: Sendable {
    let expiry: NumericDate
    let key: [UInt8]
    /// The record's place in the order of insertion, which tells it from a later one of its key.
    var number: UInt64 = 0
  }

  private(set) var entries: [Entry] = []

  /// The entry that expires first.
  var first: Entry? { entries.first }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0, entries[child].expiry < entries[(child - 1) / 2].expiry {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    entries[0] = last
    var parent = 0
    while true {
      let children = (2 * parent + 1)..<min(2 * parent + 3, max(entries.count, 2 * parent + 1))
      guard let child = children.min(by: { entries[$0].expiry < entries[$1].expiry }),
        entries[child].expiry < entries[parent].expiry
      else { return }
      entries.swapAt(parent, child)
      parent = child
    }
  }
}
