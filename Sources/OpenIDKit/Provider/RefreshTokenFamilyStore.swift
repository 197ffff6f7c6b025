import JOSE
import StrictJSON

/// Where families live: one row each, keyed by its name.
public protocol RefreshTokenFamilyStore: Sendable {
  /// The family of that name.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if what is stored can't be read, as
  ///   ``RefreshTokenFamily/init(parsing:)`` says it; anything else. Whoever asked gets
  ///   `ErrorCode.storeUnavailable`.
  func family(_ id: RefreshTokenFamily.ID) async throws -> RefreshTokenFamily?

  /// Adds a family, in one atomic step. Returns false if the name is taken.
  ///
  /// - Throws: anything; whoever asked gets `ErrorCode.storeUnavailable`.
  func insert(_ family: RefreshTokenFamily) async throws -> Bool

  /// Puts `family` in the place of the stored one of its name, in one atomic step, if that has version `expected`.
  /// Returns false, with nothing changed, if it has not.
  ///
  /// - Throws: anything; whoever asked gets `ErrorCode.storeUnavailable`.
  func replace(expecting expected: UInt64, with family: RefreshTokenFamily) async throws -> Bool

  /// The names of all families that fit, the oldest first, of those with one date the one that was added first. Strings
  /// are compared as bytes. Those that can't be read any more are among them: a store finds them by its columns.
  ///
  /// - Throws: anything; whoever asked gets `ErrorCode.storeUnavailable`.
  func families(_ selection: FamilySelection) async throws -> [RefreshTokenFamily.ID]

  /// The names of those that fit and are active, the oldest first. A login needs no more than this of a user's past
  /// ones: a database answers it with one query.
  ///
  /// A store that leaves it out is asked for each family.
  /// - Throws: anything; whoever asked gets `ErrorCode.storeUnavailable`.
  func activeFamilies(_ selection: FamilySelection) async throws -> [RefreshTokenFamily.ID]

  /// Removes families that ended before a date.
  ///
  /// - Throws: anything; whoever asked gets `ErrorCode.storeUnavailable`.
  func removeFamilies(endedBefore date: NumericDate) async throws
}

extension RefreshTokenFamilyStore {
  /// Asks for each family that fits. One that can't be read is not active: its tokens are not redeemed.
  ///
  /// - Throws: what the store throws.
  public func activeFamilies(_ selection: FamilySelection) async throws -> [RefreshTokenFamily.ID] {
    var active: [RefreshTokenFamily.ID] = []
    for id in try await families(selection) {
      do {
        if try await family(id)?.status == .active { active.append(id) }
      } catch let error as TokenRefreshError where error.code == .recordMalformed {
        continue
      }
    }
    return active
  }
}

/// Which families.
public enum FamilySelection: Sendable, Hashable {
  /// Those of a user.
  case subject(String)
  /// Those of a client.
  case client(String)
  /// Those of a user with a client.
  case subjectAndClient(String, String)
  /// Those of a session at the provider.
  case session(String)
  /// Those that came from a device secret.
  case deviceSecret(String)
  /// Those that came of an authorization code, by its grant's name: ``AuthorizationCodeGrant/id``.
  case grant(String)
  /// Those created before a date.
  case createdBefore(NumericDate)

  /// Whether a family is one of them.
  public func includes(_ family: RefreshTokenFamily) -> Bool {
    let grant = family.grant
    switch self {
    case .subject(let subject): return grant.subject.hasSameBytes(as: subject)
    case .client(let client): return grant.clientID.hasSameBytes(as: client)
    case .subjectAndClient(let subject, let client):
      return grant.subject.hasSameBytes(as: subject) && grant.clientID.hasSameBytes(as: client)
    case .session(let session): return grant.sessionID?.hasSameBytes(as: session) ?? false
    case .deviceSecret(let secret): return grant.deviceSecretID?.hasSameBytes(as: secret) ?? false
    case .grant(let name): return grant.grantID?.hasSameBytes(as: name) ?? false
    case .createdBefore(let date): return family.createdAt < date
    }
  }
}

/// Families in memory, for one process and for tests.
public actor InMemoryRefreshTokenFamilyStore: RefreshTokenFamilyStore {
  private var families: [RefreshTokenFamily.ID: RefreshTokenFamily] = [:]
  /// The order in which families came, for those of one date.
  private var numbers: [RefreshTokenFamily.ID: UInt64] = [:]
  private var lastNumber: UInt64 = 0

  /// An empty store.
  public init() {}

  /// The family of that name.
  public func family(_ id: RefreshTokenFamily.ID) -> RefreshTokenFamily? { families[id] }

  /// Adds a family. Returns false if the name is taken.
  public func insert(_ family: RefreshTokenFamily) -> Bool {
    guard families[family.id] == nil else { return false }
    families[family.id] = family
    lastNumber += 1
    numbers[family.id] = lastNumber
    return true
  }

  /// Replaces a family if it has the expected version.
  public func replace(expecting expected: UInt64, with family: RefreshTokenFamily) -> Bool {
    guard families[family.id]?.version == expected else { return false }
    families[family.id] = family
    return true
  }

  /// The names of all families that fit, the oldest first.
  public func families(_ selection: FamilySelection) -> [RefreshTokenFamily.ID] {
    sorted(families.values.filter(selection.includes))
  }

  // Asynchronous, like the protocol's default: who calls a store of this type would get that one else.
  /// The names of those that fit and are active, the oldest first.
  public func activeFamilies(_ selection: FamilySelection) async -> [RefreshTokenFamily.ID] {
    sorted(families.values.filter { $0.status == .active && selection.includes($0) })
  }

  private func sorted(_ families: [RefreshTokenFamily]) -> [RefreshTokenFamily.ID] {
    families.map { ($0.createdAt.secondsSince1970, numbers[$0.id] ?? 0, $0.id) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map(\.2)
  }

  /// Removes families that ended before a date.
  public func removeFamilies(endedBefore date: NumericDate) {
    families = families.filter { _, family in
      if case .revoked(_, let end) = family.status, end < date { return false }
      return family.absoluteExpiration.map { $0 >= date } ?? true
    }
    numbers = numbers.filter { families[$0.key] != nil }
  }
}
