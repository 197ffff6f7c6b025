import GRDB
import GRDBStores
import JOSE
import Logging
import Metrics

/// Everything that concerns security, in the order in which it happened. Holds names, never a secret or a token.
package struct AuditLog: Sendable {
  /// What happened.
  package struct Event: Sendable {
    /// A stable name, such as `login.succeeded`.
    package var name: String
    package var user: String?
    package var client: String?
    package var address: SourceAddress?
    /// A fixed text or a count: nothing that a sender wrote.
    package var detail: String?

    package init(
      _ name: String, user: String? = nil, client: String? = nil, address: SourceAddress? = nil, detail: String? = nil
    ) {
      (self.name, self.user, self.client) = (name, user, client)
      (self.address, self.detail) = (address, detail)
    }
  }

  /// What strangers cause as they like, by the end of its name.
  private static let refusals = ["refused", "failed", "blocked", "unknown", "cancelled", "devicesecretreused"]
  /// In a minute, so many of a name get a line from one network, and from all.
  private static let limits = [("event = ?1 AND network IS ?3", 50), ("event = ?1 AND ?3 IS ?3", 500)]

  /// One line of the log.
  package struct Entry: Sendable {
    package let number: Int64
    package let date: NumericDate
    package let event: Event
  }

  let database: ProviderDatabase
  let clock: WallClock
  let log: Logger

  /// Notes an event. If the database doesn't take it, the program's log has it still.
  package func record(_ event: Event) async {
    let (now, source) = (clock.now.secondsSince1970, event.address)
    let isRefusal = Self.refusals.contains { event.name.lowercased().hasSuffix($0) }
    var metadata: Logger.Metadata = ["event": "\(event.name)"]
    for case (let name, let value?) in [
      ("user", event.user), ("client", event.client), ("address", source?.text), ("detail", event.detail),
    ] { metadata[name] = "\(value)" }
    log.info("audit", metadata: metadata)
    Counter(label: "idp_audit_events", dimensions: [("event", event.name)]).increment()
    do {
      try await database.write { database in
        for (lines, limit) in isRefusal ? Self.limits : [] {
          // The newest line counts those that get none.
          try database.cachedStatement(
            sql: """
              UPDATE auditLog SET repeats = repeats + 1
              WHERE number = (SELECT number FROM auditLog WHERE \(lines) ORDER BY number DESC LIMIT 1)
              AND ?2 < (SELECT at FROM auditLog WHERE \(lines) ORDER BY number DESC LIMIT 1 OFFSET \(limit - 1))
              """
          ).execute(arguments: [event.name, now - 60, source?.site])
          guard database.changesCount == 0 else { return }
        }
        try database.cachedStatement(
          sql: "INSERT INTO auditLog (at, event, user, client, address, detail, network) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [now, event.name, event.user, event.client, source?.text, event.detail, source?.site])
      }
    } catch {
      log.error("the audit log could not be written", metadata: metadata)
    }
  }

  /// The newest lines first.
  ///
  /// - Parameters:
  ///   - name: what events' names begin with; nil for all.
  ///   - user: whom they concern; nil for all.
  ///   - before: the line to go on from; nil for the newest.
  ///   - limit: at most so many.
  package func entries(
    named name: String? = nil, user: String? = nil, before: Int64? = nil, limit: Int = 100
  ) async throws -> [Entry] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM auditLog WHERE number < ?1 AND (?2 IS NULL OR substr(event, 1, length(?2)) = ?2)
          AND (?3 IS NULL OR user = ?3) ORDER BY number DESC LIMIT ?4
          """,
        arguments: [before ?? Int64.max, name, user, limit]
      ).map { row in
        let repeats: Int = row["repeats"]
        let detail = [row["detail"] as String?, repeats > 0 ? "and \(repeats) more" : nil].compactMap { $0 }
        return Entry(
          number: row["number"], date: NumericDate(saturating: row["at"]),
          event: Event(
            row["event"], user: row["user"], client: row["client"],
            address: (row["address"] as String?).map { SourceAddress($0) },
            detail: detail.isEmpty ? nil : detail.joined(separator: ", ")))
      }
    }
  }
}
