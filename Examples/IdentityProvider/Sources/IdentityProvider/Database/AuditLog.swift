import JOSE
import Logging
import Metrics
import SQLStores

/// All events that concern security, in their order. The log holds names, never a secret or a token.
package struct AuditLog: Sendable {
  /// One event.
  package struct Event: Sendable {
    /// A stable name, such as `login.succeeded`.
    package var name: String
    package var user: String?
    package var client: String?
    package var address: SourceAddress?
    /// A fixed text or a count, never text from a request.
    package var detail: String?

    package init(
      _ name: String, user: String? = nil, client: String? = nil, address: SourceAddress? = nil, detail: String? = nil
    ) {
      (self.name, self.user, self.client) = (name, user, client)
      (self.address, self.detail) = (address, detail)
    }
  }

  /// The endings of event names that strangers can cause at will.
  private static let refusals = ["refused", "failed", "blocked", "unknown", "cancelled", "devicesecretreused"]
  /// The lines per minute for events of one name: from one network, and from all.
  private static let limits = [(isOfNetwork: true, limit: 50), (isOfNetwork: false, limit: 500)]

  /// One line of the log.
  package struct Entry: Sendable {
    package let number: Int64
    package let date: NumericDate
    package let event: Event
  }

  let database: any SQLDriver
  let clock: WallClock
  let log: Logger

  /// Records an event. If the database fails, the program's log still has it.
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
      let minuteAgo = SQLValue.real(now - 60)
      // No request waits to count: a line that another request is counting on is passed over.
      let unlocked = database.dialect == .postgreSQL ? " FOR UPDATE SKIP LOCKED" : ""
      try await database.write { session in
        for (isOfNetwork, limit) in isRefusal ? Self.limits : [] {
          var (lines, values) = ("event = ?", [SQLValue.text(event.name)])
          if isOfNetwork { lines += source == nil ? " AND network IS NULL" : " AND network = ?" }
          if isOfNetwork, let source { values.append(.text(source.site)) }
          // The newest line counts the events that get no line of their own.
          let counted = try session.run(
            """
            UPDATE auditLog SET repeats = repeats + 1
            WHERE number = (SELECT number FROM auditLog WHERE \(lines) ORDER BY number DESC LIMIT 1\(unlocked))
            AND ? < (SELECT at FROM auditLog WHERE \(lines) ORDER BY number DESC LIMIT 1 OFFSET \(limit - 1))
            """, values + [minuteAgo] + values)
          guard counted.count == 0 else { return }
        }
        let line = """
          INSERT INTO auditLog (at, event, "user", client, address, detail, network) VALUES (?, ?, ?, ?, ?, ?, ?)
          """
        let values: [SQLValue] = [
          .real(now), .text(event.name), .optional(event.user), .optional(event.client), .optional(source?.text),
          .optional(event.detail), .optional(source?.site),
        ]
        _ = try isRefusal ? session.run(line, values) : session.runWhole(line, values)
      }
    } catch {
      metadata["error"] = "\(Storage.reason(of: error))"
      log.error("the audit log could not be written", metadata: metadata)
    }
  }

  /// The newest lines first.
  ///
  /// - Parameters:
  ///   - name: a prefix of the events' names; nil for all.
  ///   - user: the user they concern; nil for all.
  ///   - before: the number of the line to continue from; nil for the newest.
  ///   - limit: the largest number of lines.
  package func entries(
    named name: String? = nil, user: String? = nil, before: Int64? = nil, limit: Int = 100
  ) async throws -> [Entry] {
    var (lines, values) = ("number < ?", [SQLValue.integer(before ?? .max)])
    if let name {
      lines += " AND substr(event, 1, ?) = ?"
      values += [.integer(Int64(name.unicodeScalars.count)), .text(name)]
    }
    if let user {
      lines += " AND \"user\" = ?"
      values.append(.text(user))
    }
    return try await database.rows(
      """
      SELECT number, at, event, "user", client, address, detail, repeats FROM auditLog WHERE \(lines)
      ORDER BY number DESC LIMIT ?
      """, values + [.integer(Int64(limit))]
    ).map { row in
      let repeats = try row[7].int
      let detail = [try row[6].orNil?.string, repeats > 0 ? "and \(repeats) more" : nil].compactMap { $0 }
      return Entry(
        number: try row[0].int, date: try row[1].date,
        event: Event(
          try row[2].string, user: try row[3].orNil?.string, client: try row[4].orNil?.string,
          address: try row[5].orNil.map { SourceAddress(try $0.string) },
          detail: detail.isEmpty ? nil : detail.joined(separator: ", ")))
    }
  }
}
