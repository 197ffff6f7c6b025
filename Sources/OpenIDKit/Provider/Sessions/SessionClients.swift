import JOSE
import PureCrypto

/// The clients that a session has given codes to: those that are told when it ends.
struct SessionClients: Sendable {
  static let kind = StoredRecord.Kind(library: "session-client")

  let records: any RecordStore
  let clock: WallClock

  /// Notes a client. What no end of a session forgets is forgotten after a year.
  func note(_ clientID: String, in sessionID: String) async throws {
    let key = Array("\(sessionID.utf8.count).".utf8) + Array(sessionID.utf8) + Array(clientID.utf8)
    guard try await records.record(Self.kind, key: key) == nil else { return }
    let record = StoredRecord(
      kind: Self.kind, key: key, indexes: [Self.index(sessionID)], createdAt: clock.now,
      expiresAt: clock.now.advanced(by: Self.retention), document: Array(clientID.utf8),
      attempt: SystemRandom.bytes(count: 16))
    // Of two codes at once, one notes it.
    _ = try await records.settle([.insert(record)])
  }

  /// The clients of a session.
  func clients(of sessionID: String) async throws -> [String] {
    try await records.records(Self.kind, where: Self.index(sessionID), limit: 1000)
      .map { String(decoding: $0.document, as: UTF8.self) }
  }

  /// Forgets them, once they have been told.
  func forget(_ sessionID: String) async throws {
    for record in try await records.records(Self.kind, where: Self.index(sessionID), limit: 1000) {
      _ = try await records.settle([.remove(Self.kind, key: record.key, version: record.version)])
    }
  }

  private static let retention = 365.0 * 86_400

  private static func index(_ sessionID: String) -> StoredRecord.Index { .init("session", Array(sessionID.utf8)) }
}
