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

/// Headers of tokens that were verified lately, by their text: an issuer's tokens share a few headers, which need not
/// be parsed anew.
///
/// Only headers of verified tokens enter, so a stranger can't fill the cache.
typealias HeaderCache = RecentlyUsed<[UInt8], ProtectedHeader>

extension HeaderCache {
  static var headerCapacity: Int { 8 }
  /// Longer headers are not kept.
  static var textByteCount: Int { 1024 }

  convenience init() {
    self.init(capacity: Self.headerCapacity)
  }

  /// The header with exactly this text, if it is known.
  func header(for text: UnsafeRawBufferPointer) -> ProtectedHeader? {
    value { $0.withUnsafeBytes { $0.hasSameOctets(as: text) } }
  }

  /// Keeps the header of a verified token.
  func insert(_ header: ProtectedHeader, for text: UnsafeRawBufferPointer) {
    guard text.count <= Self.textByteCount, self.header(for: text) == nil else { return }
    insert(header, for: Array(text))
  }
}

/// A key of a set, bound to an algorithm.
struct KeyBinding: Hashable, Sendable {
  let index: Int
  let algorithm: SignatureAlgorithm
}

/// The keys of a set that were bound to an algorithm lately, so that what they have prepared is not lost between two
/// tokens.
///
/// A prepared P-256 key occupies 64 KiB at most, so a set never holds more than 1 MiB of tables.
typealias BoundKeyCache = RecentlyUsed<KeyBinding, VerificationKey>

extension BoundKeyCache {
  static var keyCapacity: Int { 16 }

  convenience init() {
    self.init(capacity: Self.keyCapacity)
  }

  /// The key at a place of the set, bound to an algorithm: the one from last time, or else a new one.
  func key(
    at index: Int, for algorithm: SignatureAlgorithm, bind: () throws(JOSEError) -> VerificationKey
  ) throws(JOSEError) -> VerificationKey {
    let binding = KeyBinding(index: index, algorithm: algorithm)
    if let known = value(where: { $0 == binding }) { return known }
    let key = try bind()
    insert(key, for: binding)
    return key
  }
}
