import JOSE
import PureCrypto

/// Where authorization codes live: one row each, keyed by the hash of the code.
///
/// A database removes what may go, by ``AuthorizationCodeRecord/removableAt``, whenever it likes.
public protocol AuthorizationCodeStore: Sendable {
  /// The code of that hash.
  ///
  /// - Parameter hash: 32 octets.
  /// - Throws: ``TokenRefreshErrorCode/recordMalformed`` if what is stored can't be read, as
  ///   ``AuthorizationCodeRecord/init(parsing:)`` says it; anything else. Whoever asked gets ``TokenRefreshErrorCode/storage``.
  func code(_ hash: [UInt8]) async throws -> AuthorizationCodeRecord?

  /// Adds a code, in one atomic step. Returns false if the hash is taken.
  ///
  /// - Throws: anything; whoever asked gets ``TokenRefreshErrorCode/storage``.
  func insert(_ record: AuthorizationCodeRecord) async throws -> Bool

  /// Puts `record` in the place of the stored one of its hash, in one atomic step, if that has version `expected`. Returns
  /// false, with nothing changed, if it has not: of two who present a code at once, one redeems it.
  ///
  /// - Throws: anything; whoever asked gets ``TokenRefreshErrorCode/storage``.
  func replace(expecting expected: UInt64, with record: AuthorizationCodeRecord) async throws -> Bool
}

/// Authorization codes in memory, for one process and for tests.
///
/// When it is full, those whose time is over make room, and then those that were used the longest time ago: of these a second use
/// is still refused, but not known for what it is. If there are none, no more are accepted.
public actor InMemoryAuthorizationCodeStore: AuthorizationCodeStore {
  /// The store is full of codes that nobody has used yet.
  public struct Full: Error {}

  private let capacity: Int
  private let clock: WallClock
  private var records: [[UInt8]: AuthorizationCodeRecord] = [:]
  /// How many codes there are. For tests.
  package var count: Int { records.count }

  /// A store for so many codes.
  public init(capacity: Int = 10_000, clock: WallClock = .system) {
    self.capacity = capacity
    self.clock = clock
  }

  /// The code of that hash.
  public func code(_ hash: [UInt8]) -> AuthorizationCodeRecord? { records[hash] }

  /// Adds a code. Returns false if the hash is taken.
  ///
  /// - Throws: ``Full``.
  public func insert(_ record: AuthorizationCodeRecord) throws -> Bool {
    guard records[record.codeHash] == nil else { return false }
    if records.count >= capacity { makeRoom() }
    guard records.count < capacity else { throw Full() }
    records[record.codeHash] = record
    return true
  }

  /// Replaces a code if it has the expected version.
  public func replace(expecting expected: UInt64, with record: AuthorizationCodeRecord) -> Bool {
    guard records[record.codeHash]?.version == expected else { return false }
    records[record.codeHash] = record
    return true
  }

  private func makeRoom() {
    let now = clock.now
    records = records.filter { now < $0.value.removableAt }
    guard records.count >= capacity else { return }
    // A tenth at once, so that not every login sorts all of them.
    let used = records.values.filter { $0.use != .unused }.sorted { $0.removableAt < $1.removableAt }
    for record in used.prefix(max(1, capacity / 10)) { records[record.codeHash] = nil }
  }
}

extension InMemoryAuthorizationCodeStore: Redacted {
  /// The type's name. No code.
  public nonisolated var description: String { "InMemoryAuthorizationCodeStore" }
}
