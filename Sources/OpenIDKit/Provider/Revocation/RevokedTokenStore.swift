import JOSE

/// Which access tokens.
public enum AccessTokenSelection: Sendable, Hashable {
  /// The one of this name: `jti`.
  case token(String)
  /// Those that came of the grant of this name: ``AuthorizationCodeGrant/id``.
  case grant(String)

  /// A text for use as a database key, to be compared as bytes.
  public var storageKey: String {
    switch self {
    case .token(let name): "token " + name
    case .grant(let name): "grant " + name
    }
  }

  /// Compares bytes.
  public static func == (lhs: AccessTokenSelection, rhs: AccessTokenSelection) -> Bool {
    lhs.storageKey.hasSameBytes(as: rhs.storageKey)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { storageKey.utf8.forEach { hasher.combine($0) } }
}

/// The access tokens that ended before their time, for whoever is asked whether one is good: introspection, the provider's own
/// resources.
///
/// Source: RFC 7009 §2, RFC 6749 §4.1.2.
public protocol RevokedTokenStore: Sendable {
  /// Notes that tokens have ended, in one atomic step.
  ///
  /// - Parameters:
  ///   - selection: which. Noted twice, they stay until the later time.
  ///   - end: when the last of them would have expired; until then they must be known. Afterwards they may be forgotten.
  /// - Throws: anything, and then nothing is revoked: a store that is full must not forget another token for this one.
  func revoke(_ selection: AccessTokenSelection, until end: NumericDate) async throws

  /// Whether one of these was noted: a token by its own name, and by its grant's.
  ///
  /// - Throws: anything; the token is then not good, or whoever asked comes again.
  func isRevoked(anyOf selections: [AccessTokenSelection]) async throws -> Bool
}

/// Revoked access tokens in memory, for one process and for tests. When it is full, those that have expired make room; if there are
/// none, no more are accepted.
public actor InMemoryRevokedTokenStore: RevokedTokenStore {
  /// The store is full.
  public struct Full: Error {}

  private let capacity: Int
  private let clock: WallClock
  private var ends: [AccessTokenSelection: NumericDate] = [:]

  /// A store for so many tokens and grants.
  public init(capacity: Int = 100_000, clock: WallClock = .system) {
    self.capacity = capacity
    self.clock = clock
  }

  /// Notes that tokens have ended.
  ///
  /// - Throws: ``Full``.
  public func revoke(_ selection: AccessTokenSelection, until end: NumericDate) throws {
    if let known = ends[selection] {
      ends[selection] = max(known, end)
      return
    }
    if ends.count >= capacity {
      // For clocks that are set back, a minute longer.
      let now = clock.now
      ends = ends.filter { now < $0.value.advanced(by: 60) }
    }
    guard ends.count < capacity else { throw Full() }
    ends[selection] = end
  }

  /// Whether one of these was noted.
  public func isRevoked(anyOf selections: [AccessTokenSelection]) -> Bool {
    selections.contains { ends[$0] != nil }
  }
}
