/// One statement at a time, and the stores, for the tables of a program beside them.
extension SQLDriver {
  /// Runs one statement that changes something, in a transaction of its own.
  ///
  /// - Throws: what ``write(_:)`` throws.
  @discardableResult
  public func run(_ statement: String, _ values: [SQLValue] = []) async throws -> SQLResult {
    try await write { try $0.runWhole(statement, values) }
  }

  /// The rows that one statement reads.
  ///
  /// - Throws: what ``read(_:)`` throws.
  public func rows(_ statement: String, _ values: [SQLValue] = []) async throws -> [[SQLValue]] {
    try await read { try $0.run(statement, values).rows }
  }

  /// The row that one statement looks up by an index, the first one if there are several.
  ///
  /// - Throws: what ``lookUp(_:_:_:)`` throws.
  public func row(_ statement: String, _ values: [SQLValue] = []) async throws -> [SQLValue]? {
    try await lookUp(statement, values, \.first)
  }

  /// All records of a provider.
  public var records: SQLRecordStore { SQLRecordStore(driver: self) }

  /// The rate limits.
  public var rateLimits: SQLRateLimiter { SQLRateLimiter(driver: self) }

  /// Which users have which Apple Accounts.
  public var appleAccounts: SQLAppleAccountStore { SQLAppleAccountStore(driver: self) }
}
