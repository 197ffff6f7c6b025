import PureCrypto

/// Locks by name that a transaction of PostgreSQL holds until its end.
///
/// Names are digests, so that all processes take the same number for a name. If two names have one number, they wait
/// for each other needlessly, which does no further harm.
struct AdvisoryLocks {
  private(set) var numbers: Set<Int64> = []

  /// Adds a name of these parts.
  mutating func insert(_ parts: [UInt8]...) {
    let name = parts.flatMap { part in Array("\(part.count).".utf8) + part }
    let number = Array(SHA2.SHA256.hash(name)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    numbers.insert(Int64(bitPattern: number))
  }

  /// Takes all locks in one fixed order for all transactions, so that no two deadlock.
  func take(_ session: any SQLSession) throws {
    let list = numbers.sorted().map { "\($0)" }.joined(separator: ",")
    _ = try session.run(
      "SELECT pg_advisory_xact_lock(number) FROM unnest(CAST(? AS bigint[])) AS number", [.text("{\(list)}")])
  }
}

extension SQLSession {
  /// Locks names of the program's own until the transaction ends, for rows that it reads and then writes. Call it
  /// first, and once. Another transaction that locks one of them waits, and then reads this one's result. In SQLite one
  /// transaction writes at a time, and nothing has to be locked.
  ///
  /// - Throws: the driver's error.
  public func lock(_ names: [String], _ dialect: SQLDialect) throws {
    guard dialect == .postgreSQL else { return }
    var locks = AdvisoryLocks()
    for name in names { locks.insert(Array("program".utf8), Array(name.utf8)) }
    try locks.take(self)
  }
}
