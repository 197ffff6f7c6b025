import PureCrypto

/// Locks by name that a transaction of PostgreSQL holds until its end.
///
/// Names are digests, so that all processes take the same number for a name. Two names of one number would wait for
/// each other without a need, and nothing else.
struct AdvisoryLocks {
  private(set) var numbers: Set<Int64> = []

  /// Adds a name of these parts.
  mutating func insert(_ parts: [UInt8]...) {
    let name = parts.flatMap { part in Array("\(part.count).".utf8) + part }
    let number = Array(SHA2.SHA256.hash(name)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    numbers.insert(Int64(bitPattern: number))
  }

  /// Takes all locks, in the order that every transaction takes them in, so that no two wait for each other.
  func take(_ session: any SQLSession) throws {
    let list = numbers.sorted().map { "\($0)" }.joined(separator: ",")
    _ = try session.run(
      "SELECT pg_advisory_xact_lock(number) FROM unnest(CAST(? AS bigint[])) AS number", [.text("{\(list)}")])
  }
}
