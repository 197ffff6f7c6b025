import StrictJSON

/// Where one login's record lives: a keychain item, a file, a row.
///
/// One store holds one record at most. Give each login a store of its own: then logins never affect each other. Both
/// methods must be durable when they return; `replace` must be atomic, so that a crash leaves the old record or the new
/// one and never neither.
public protocol TokenStore: Sendable {
  /// The record, or nil if there is none.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if what is stored can't be read, as
  ///   ``TokenRecord/init(parsing:)`` says it: then a new login takes its place. Anything else counts as
  ///   `ErrorCode.storeUnavailable`: the login goes on, and the store is asked again.
  func load() async throws -> TokenRecord?

  /// Puts `record` in the place of the one with version `expected`, in one atomic step: write beside, then rename; or
  /// one keychain update; or one conditional SQL statement. Login identifiers are compared as bytes.
  ///
  /// - Parameters:
  ///   - expected: the version that must be stored now; nil if there must be no record. What can't be read is no
  ///     record: it is replaced, and removed.
  ///   - record: the new record, or nil to remove.
  /// - Returns: false, with nothing changed, if another version is stored.
  /// - Throws: anything; the old record or the new one is then there. What a refresh brought is kept in memory and
  ///   written again later.
  func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) async throws -> Bool
}

/// A record in memory: gone with the process.
public actor InMemoryTokenStore: TokenStore {
  private var record: TokenRecord?

  /// A store with a record, or empty.
  public init(_ record: TokenRecord? = nil) {
    self.record = record
  }

  /// The record, or nil if there is none.
  public func load() -> TokenRecord? { record }

  /// Replaces the record if it has the expected version.
  public func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) -> Bool {
    guard self.record.map({ stored in expected.map { stored.version.isSame(as: $0) } ?? false }) ?? (expected == nil)
    else { return false }
    self.record = record
    return true
  }
}

extension TokenRecord.Version {
  /// Whether both are the same, login identifiers compared as bytes.
  public func isSame(as other: TokenRecord.Version) -> Bool {
    revision == other.revision && loginID.hasSameBytes(as: other.loginID)
  }
}
