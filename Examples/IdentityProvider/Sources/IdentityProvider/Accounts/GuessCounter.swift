import JOSE
import SQLStores

/// Counts wrong passwords and codes in a row, for all processes together. Only a login forgets them, not a minute's
/// rest, so that patience gains an attacker nothing.
///
/// Each guess counts from its beginning, so that parallel ones count too.
///
/// Source: NIST SP 800-63B-4 §3.2.2.
package struct GuessCounter: Sendable {
  /// How guesses under one key are slowed, and ended.
  struct Rule: Sendable {
    let key: String
    /// The user whose account it is; nil if no user has the name.
    let user: String?
    /// The number of guesses before the first wait.
    let free: Int
    /// The seconds of the first wait. Each further guess doubles them, up to an hour.
    let interval: Int
    /// The number of guesses in a row after which no more are taken.
    var limit = GuessCounter.limit
    /// Whether all sources share it. One that has used up the free guesses of its own rule still counts, but makes the
    /// others wait no longer.
    var isShared = false
    /// Whether the user is told of these guesses.
    var isTold = false

    /// The seconds to wait after a number of guesses.
    func wait(after count: Int) -> Int {
      guard count >= free else { return 0 }
      return min(interval << min(count - free, 12), max(interval, 3600))
    }
  }

  /// Whether a guess may be made.
  enum Verdict: Equatable, Sendable {
    case allowed
    case wait(seconds: Int)
    /// Only a login in another way, or an administrator, opens this one again.
    case closed
  }

  /// Guesses that the user has not been told of yet.
  struct Untold: Sendable {
    let passwords: Int
    let codes: Int
    let last: NumericDate

    /// Whether the next login leads to a page about them: a user's own mistakes are fewer. A wrong code counts for
    /// more, because it comes after the right password.
    var needsPage: Bool { passwords >= 20 || codes >= 5 }
  }

  /// The row of a key.
  private struct Row {
    var (count, steps, end) = (0, 0, 0.0)

    func verdict(_ rule: Rule, at now: Double) -> Verdict {
      if count >= rule.limit { return .closed }
      return end > now ? .wait(seconds: Int((min(end, latestEnd(rule, now)) - now).rounded(.up))) : .allowed
    }

    /// When the wait ends that began now. One that ends later is from before the clock was set back.
    func latestEnd(_ rule: Rule, _ now: Double) -> Double { now + Double(rule.wait(after: steps)) }
  }

  let database: any SQLDriver
  let clock: WallClock

  /// For how many seconds a row stays after its last guess.
  static let retention = 90 * 86_400.0
  /// The number of guesses in a row at one account.
  static let limit = 100
  /// What the keys of codes begin with.
  static let codePrefix = "code "

  /// Counts a guess, unless one of the rules makes it wait: then none counts it.
  func attempt(_ rules: [Rule]) async throws -> Verdict {
    guard !rules.isEmpty else { return .allowed }
    let (now, dialect) = (clock.now.secondsSince1970, database.dialect)
    // A key that waits is not locked: a flood on it takes no connection from other users.
    let places = rules.map { _ in "?" }.joined(separator: ", ")
    let known = try Self.order(
      await database.rows(Self.query + "(\(places))", rules.map { .name($0.key) }), by: rules)
    let isPlausible = zip(rules, known).allSatisfy { $1.end <= $1.latestEnd($0, now) + 1 }
    guard Self.worst(rules, known, now) == .allowed || !isPlausible else { return Self.worst(rules, known, now) }
    return try await database.write { session in
      try session.lock(rules.map { "guesses " + $0.key }, dialect)
      let rows = try Self.order(
        session.run(Self.query + "(\(places))", rules.map { .name($0.key) }).rows, by: rules)
      for (rule, row) in zip(rules, rows) where row.end > row.latestEnd(rule, now) {
        _ = try session.run(
          "UPDATE guesses SET blockedUntil = ? WHERE key = ?", [.real(row.latestEnd(rule, now)), .name(rule.key)])
      }
      let verdict = Self.worst(rules, rows, now)
      guard verdict == .allowed else { return verdict }
      let isSlowed = zip(rules, rows).contains { !$0.isShared && $1.steps >= $0.free }
      for (rule, row) in zip(rules, rows) {
        let stays = rule.isShared && isSlowed
        let steps = row.steps + (stays ? 0 : 1)
        let end = stays ? row.end : now + Double(rule.wait(after: steps))
        _ = try session.run(
          """
          INSERT INTO guesses (key, "user", count, steps, untold, lastAt, blockedUntil) VALUES (?, ?, 1, ?, ?, ?, ?)
          ON CONFLICT (key) DO UPDATE SET "user" = excluded."user", count = guesses.count + 1, steps = excluded.steps,
          untold = guesses.untold + excluded.untold, lastAt = excluded.lastAt, blockedUntil = excluded.blockedUntil
          """,
          [
            .name(rule.key), .optional(rule.user), .integer(Int64(steps)), .flag(rule.isTold), .real(now), .real(end),
          ])
      }
      return .allowed
    }
  }

  /// Takes back a guess that was not looked at. What it made others wait stays.
  func takeBack(_ rules: [Rule]) async throws {
    try await change(
      rules,
      """
      count = CASE WHEN count > 0 THEN count - 1 ELSE 0 END, untold = CASE WHEN untold > 0 THEN untold - 1 ELSE 0 END
      """)
    try await change(rules.filter { !$0.isShared }, "steps = CASE WHEN steps > 0 THEN steps - 1 ELSE 0 END")
  }

  /// Forgets the guesses before a right one, which was counted too. The user is still told of the wrong ones.
  func succeeded(_ rules: [Rule]) async throws {
    try await change(
      rules, "count = 0, steps = 0, blockedUntil = 0, untold = CASE WHEN untold > 0 THEN untold - 1 ELSE 0 END")
  }

  private func change(_ rules: [Rule], _ assignments: StaticString) async throws {
    guard !rules.isEmpty else { return }
    let dialect = database.dialect
    try await database.write { session in
      try session.lock(rules.map { "guesses " + $0.key }, dialect)
      for rule in rules {
        _ = try session.run("UPDATE guesses SET \(assignments) WHERE key = ?", [.name(rule.key)])
      }
    }
  }

  private static let query = "SELECT key, count, steps, blockedUntil FROM guesses WHERE key IN "

  /// The rows of rules, in their order.
  private static func order(_ rows: [[SQLValue]], by rules: [Rule]) throws -> [Row] {
    try rules.map { rule in
      guard let row = try rows.first(where: { try $0[0].bytes.elementsEqual(rule.key.utf8) }) else { return Row() }
      return Row(count: Int(try row[1].int), steps: Int(try row[2].int), end: try row[3].double)
    }
  }

  /// The verdict that lets a guess wait longest.
  private static func worst(_ rules: [Rule], _ rows: [Row], _ now: Double) -> Verdict {
    var longest = 0
    for (rule, row) in zip(rules, rows) {
      switch row.verdict(rule, at: now) {
      case .closed: return .closed
      case .wait(let seconds): longest = max(longest, seconds)
      case .allowed: break
      }
    }
    return longest > 0 ? .wait(seconds: longest) : .allowed
  }

  // MARK: Sources that a user has logged in from

  /// Notes that a user has logged in from a source.
  func remember(_ key: String, of user: String) async throws {
    try await database.run(
      """
      INSERT INTO guesses (key, "user", count, steps, untold, lastAt, blockedUntil) VALUES (?, ?, 0, 0, 0, ?, 0)
      ON CONFLICT (key) DO UPDATE SET "user" = excluded."user", count = 0, steps = 0, lastAt = excluded.lastAt,
      blockedUntil = 0
      """, [.name(key), .text(user), .date(clock.now)])
  }

  /// Whether a user has logged in from a source.
  func isRemembered(_ key: String) async throws -> Bool {
    try await database.row("SELECT key FROM guesses WHERE key = ?", [.name(key)]) != nil
  }

  // MARK: Users and administrators

  /// The guesses that a user has not been told of; nil if there are none.
  func untold(of user: String) async throws -> Untold? {
    let rows = try await database.rows(
      "SELECT key, untold, lastAt FROM guesses WHERE \"user\" = ? AND untold > 0", [.text(user)])
    var (passwords, codes, last) = (0, 0, NumericDate(0))
    for row in rows {
      let (key, count) = (try row[0].name, Int(try row[1].int))
      if key.hasPrefix(Self.codePrefix) { codes += count } else { passwords += count }
      last = max(last, try row[2].date)
    }
    return rows.isEmpty ? nil : Untold(passwords: passwords, codes: codes, last: last)
  }

  /// The user was told.
  func told(_ user: String) async throws {
    try await database.run("UPDATE guesses SET untold = 0 WHERE \"user\" = ?", [.text(user)])
  }

  /// Lets a user's password and codes be entered again from everywhere.
  func reopen(_ user: String) async throws {
    try await database.run(
      "UPDATE guesses SET count = 0, steps = 0, blockedUntil = 0 WHERE \"user\" = ?", [.text(user)])
  }

  /// The users for whom a password or a code is no longer taken from just anywhere.
  func closedUsers() async throws -> Set<String> {
    let rows = try await database.rows(
      "SELECT DISTINCT \"user\" FROM guesses WHERE count >= ? AND \"user\" IS NOT NULL",
      [.integer(Int64(Self.limit))])
    return Set(try rows.map { try $0[0].string })
  }
}
