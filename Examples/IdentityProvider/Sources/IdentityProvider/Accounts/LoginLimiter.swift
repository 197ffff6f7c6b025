import JOSE
import SQLStores

/// Counts attempts to log in, for all processes together: each counts from its beginning, so that parallel ones count
/// too, and one that succeeds is taken back.
package struct LoginLimiter: Sendable {
  /// A limit of attempts under one key.
  struct Budget: Sendable {
    let key: String
    /// The number of attempts in a minute.
    let limit: Int
    /// The seconds between further attempts: a short interval only slows them, so that an attacker can't lock a user
    /// out.
    let interval: Int
    /// Whether an attempt counts even though another budget makes it wait: without that, a client that asks all the
    /// time would take every turn.
    var countsWaiting = true
  }

  let database: any SQLDriver
  let clock: WallClock

  /// Counts an attempt, unless it must wait. Returns the seconds to wait; nil if it may go on.
  func attempt(_ budgets: [Budget]) async throws -> Int? {
    let now = clock.now.secondsSince1970
    let blocks = try await blocks(of: budgets, at: now)
    let known = blocks.values.max() ?? 0
    // A blocked key is not written, and so not locked: a flood on one key takes no connection from other users.
    let budgets = budgets.filter { budget in
      known == 0 || (budget.countsWaiting && blocks[Array(budget.key.utf8)] == nil)
    }
    guard !budgets.isEmpty else { return known > 0 ? Int(known.rounded(.up)) : nil }
    return try await write(budgets) { session in
      let rows = try budgets.map { budget in
        try session.run(
          "SELECT startedAt, count, blockedUntil FROM loginAttempts WHERE key = ?", [.name(budget.key)]
        ).rows.first.map { (start: try $0[0].double, count: Int(try $0[1].int), end: try $0[2].orNil?.double) }
      }
      var wait = known
      for (budget, row) in zip(budgets, rows) {
        guard let end = row?.end, end > now else { continue }
        // After the clock was set back, an attempt doesn't wait for it to catch up.
        let latest = min(end, now + Double(budget.interval))
        wait = max(wait, latest - now)
        _ = try session.run(
          "UPDATE loginAttempts SET blockedUntil = ? WHERE key = ?", [.real(latest), .name(budget.key)])
      }
      for (budget, row) in zip(budgets, rows) {
        if wait > 0, !budget.countsWaiting || (row?.end ?? 0) > now { continue }
        var (start, count) = (row?.start ?? now, row?.count ?? 0)
        if now >= start + 60 { (start, count) = (now, 0) }
        count += 1
        let end: SQLValue = count >= budget.limit ? .real(now + Double(budget.interval)) : .null
        _ = try session.run(
          """
          INSERT INTO loginAttempts (key, startedAt, count, blockedUntil) VALUES (?, ?, ?, ?)
          ON CONFLICT (key) DO UPDATE SET startedAt = excluded.startedAt, count = excluded.count,
          blockedUntil = excluded.blockedUntil
          """, [.name(budget.key), .real(min(start, now)), .integer(Int64(count)), end])
      }
      return wait > 0 ? Int(wait.rounded(.up)) : nil
    }
  }

  /// For how many seconds each budget is blocked, by its key, as far as that can be read without a lock.
  private func blocks(of budgets: [Budget], at now: Double) async throws -> [[UInt8]: Double] {
    guard !budgets.isEmpty else { return [:] }
    let places = budgets.map { _ in "?" }.joined(separator: ", ")
    let rows = try await database.rows(
      "SELECT key, blockedUntil FROM loginAttempts WHERE blockedUntil > ? AND key IN (\(places))",
      [SQLValue.real(now)] + budgets.map { SQLValue.name($0.key) })
    var blocks: [[UInt8]: Double] = [:]
    for row in rows {
      let (key, wait) = (try row[0].bytes, try row[1].double - now)
      // A block from before the clock was set back is shortened where it is written.
      guard let interval = budgets.first(where: { $0.key.utf8.elementsEqual(key) })?.interval,
        wait < Double(interval) + 1
      else { continue }
      blocks[key] = min(wait, Double(interval))
    }
    return blocks
  }

  /// Takes an attempt back that has succeeded.
  func succeeded(_ budgets: [Budget]) async throws {
    try await write(budgets) { session in
      for budget in budgets {
        _ = try session.run(
          """
          UPDATE loginAttempts SET count = CASE WHEN count > 0 THEN count - 1 ELSE 0 END, blockedUntil = NULL
          WHERE key = ?
          """, [.name(budget.key)])
      }
    }
  }

  /// Attempts under one key run one after another, so that each sees the one before it.
  private func write<Value: Sendable>(
    _ budgets: [Budget], _ change: @escaping @Sendable (any SQLSession) throws -> Value
  ) async throws -> Value {
    let dialect = database.dialect
    return try await database.write { session in
      try session.lock(budgets.map { "login attempts " + $0.key }, dialect)
      return try change(session)
    }
  }
}
