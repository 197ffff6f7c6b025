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
