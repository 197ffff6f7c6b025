import JOSE
import PureCrypto

/// Remembers what must be used once only: server nonces, and devices' own nonces.
///
/// Machines that answer for one provider must share one store.
public protocol ReplayStore: Sendable {
  /// Records an entry, in one atomic step. Returns false if it was there already.
  ///
  /// The entry may be forgotten once it expires.
  /// - Throws: anything, if the entry can't be recorded: nothing is accepted then.
  func insert(_ entry: ReplayEntry) async throws -> Bool
}

/// Something that must be used once only.
public struct ReplayEntry: Sendable, Hashable {
  /// SHA-256 of what it is, 32 octets: the same length for everything, and nothing a peer chose.
  public let digest: [UInt8]
  /// From when on it is refused for its age, so that it need not be remembered.
  public let expiration: NumericDate

  package init(digest: [UInt8], expiration: NumericDate) {
    self.digest = digest
    self.expiration = expiration
  }

  init(kind: StaticString, _ parts: [[UInt8]], expiration: NumericDate) {
    digest = Array(SHA2.SHA256.hash(LengthPrefixedFields.encode([Array("\(kind)".utf8)] + parts)))
    self.expiration = expiration
  }
}

/// A replay store in memory, for one process.
///
/// When it is full of entries that have not expired, it accepts no more: to forget one early would let it be replayed.
public actor InMemoryReplayStore: ReplayStore {
  /// The store is full.
  public struct Full: Error {}

  private let capacity: Int
  private let clock: WallClock
  private var expirations: [[UInt8]: NumericDate] = [:]
  /// Nothing in the store expires before.
  private var earliestExpiration = NumericDate(Int.max)

  /// A store for so many entries; each takes some 100 octets.
  public init(capacity: Int = 100_000, clock: WallClock = .system) {
    self.capacity = capacity
    self.clock = clock
  }

  /// How many entries are remembered.
  public var count: Int { expirations.count }

  /// Records an entry. Returns false if it was there already.
  ///
  /// - Throws: ``Full``.
  public func insert(_ entry: ReplayEntry) throws -> Bool {
    if expirations.count >= capacity { forgetExpired() }
    guard expirations[entry.digest] == nil else { return false }
    guard expirations.count < capacity else { throw Full() }
    expirations[entry.digest] = entry.expiration
    earliestExpiration = min(earliestExpiration, entry.expiration)
    return true
  }

  private func forgetExpired() {
    let now = clock.now
    // A full store of young entries must not be searched for each request.
    guard earliestExpiration <= now else { return }
    expirations = expirations.filter { $0.value > now }
    earliestExpiration = expirations.values.min() ?? NumericDate(Int.max)
  }
}
