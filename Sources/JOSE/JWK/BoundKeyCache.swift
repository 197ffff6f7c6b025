import Synchronization

/// The keys of a set that were bound to an algorithm lately, so that what they have prepared is not lost between two tokens.
///
/// At most ``capacity`` keys are kept; the one that was not used for longest makes room. A prepared P-256 key occupies 32 KiB, so a set
/// never holds more than 512 KiB of tables.
final class BoundKeyCache: Sendable {
  private struct Entry: Sendable {
    let index: Int
    let key: VerificationKey
  }

  static let capacity = 16

  /// The most recently used last.
  private let entries = Mutex<[Entry]>([])

  /// The key at a place of the set, bound to an algorithm: the one from last time, or else a new one.
  func key(
    at index: Int, for algorithm: SignatureAlgorithm, bind: () throws(JOSEError) -> VerificationKey
  ) throws(JOSEError) -> VerificationKey {
    let known = entries.withLock { entries -> VerificationKey? in
      guard let place = entries.lastIndex(where: { $0.index == index && $0.key.algorithm == algorithm }) else {
        return nil
      }
      if place != entries.count - 1 { entries.append(entries.remove(at: place)) }
      return entries[entries.count - 1].key
    }
    if let known { return known }
    let key = try bind()
    entries.withLock { entries in
      if entries.count == Self.capacity { entries.removeFirst() }
      entries.append(Entry(index: index, key: key))
    }
    return key
  }

  /// How many keys are kept.
  var count: Int { entries.withLock { $0.count } }
}
