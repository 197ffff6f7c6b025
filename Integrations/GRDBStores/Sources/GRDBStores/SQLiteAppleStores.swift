import Foundation
import GRDB
import JOSE
import AppleSignInKit

extension ProviderDatabase {
  /// The sign-ins with Apple that wait for their answer.
  public var appleSignIns: SQLiteApplePendingSignInStore { SQLiteApplePendingSignInStore(database: self) }

  /// Apple's notifications.
  public var appleNotifications: SQLiteAppleNotificationStore { SQLiteAppleNotificationStore(database: self) }
}

/// Pending sign-ins with Apple in SQLite.
public struct SQLiteApplePendingSignInStore: ApplePendingSignInStore {
  let database: ProviderDatabase

  /// Keeps a sign-in. Returns false if the handle is taken.
  ///
  /// - Throws: `DatabaseError`.
  public func insert(_ pending: ApplePendingSignIn, handle: String) async throws -> Bool {
    try await database.write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO appleSignIns (handle, startedAt, document) VALUES (?, ?, ?)",
        arguments: [handle.octets, pending.startedAt.secondsSince1970, Data(pending.serialized())])
      return database.changesCount == 1
    }
  }

  /// Removes and returns the sign-in of a handle.
  ///
  /// - Throws: `DatabaseError`, `SignInWithAppleError` with the code `recordMalformed`; the sign-in is removed then too.
  public func take(handle: String) async throws -> ApplePendingSignIn? {
    let document = try await database.write { database in
      try Data.fetchOne(
        database, sql: "DELETE FROM appleSignIns WHERE handle = ? RETURNING document", arguments: [handle.octets])
    }
    return try document.map { try ApplePendingSignIn(parsing: $0) }
  }
}

/// Apple's notifications in SQLite.
public struct SQLiteAppleNotificationStore: AppleNotificationStore {
  let database: ProviderDatabase

  /// Says whether to act on a notification.
  ///
  /// - Throws: `DatabaseError`.
  public func verdict(
    on notification: AppleNotification, expiration: NumericDate
  ) async throws -> AppleNotificationVerdict {
    let now = database.clock.now.secondsSince1970
    return try await database.read { try Self.verdict(on: notification, now, in: $0) }
  }

  /// Records a notification.
  ///
  /// - Throws: `DatabaseError`.
  public func record(
    _ notification: AppleNotification, expiration: NumericDate
  ) async throws -> AppleNotificationVerdict {
    let now = database.clock.now.secondsSince1970
    return try await database.write { database in
      let verdict = try Self.verdict(on: notification, now, in: database)
      guard verdict != .duplicate else { return verdict }
      try database.execute(
        sql: "INSERT OR REPLACE INTO appleNotifications (identity, expiresAt) VALUES (?, ?)",
        arguments: [Data(notification.identity), expiration.secondsSince1970])
      if verdict == .new, let topic = notification.topic {
        try database.execute(
          sql: "INSERT OR REPLACE INTO appleTopics (topic, eventTime) VALUES (?, ?)",
          arguments: [Data(topic), notification.eventTime.secondsSince1970])
      }
      return verdict
    }
  }

  private static func verdict(
    on notification: AppleNotification, _ now: Double, in database: Database
  ) throws -> AppleNotificationVerdict {
    let expiresAt = try Double.fetchOne(
      database, sql: "SELECT expiresAt FROM appleNotifications WHERE identity = ?",
      arguments: [Data(notification.identity)])
    if let expiresAt, expiresAt > now { return .duplicate }
    guard let topic = notification.topic else { return .new }
    let last = try Double.fetchOne(
      database, sql: "SELECT eventTime FROM appleTopics WHERE topic = ?", arguments: [Data(topic)])
    return last.map { notification.eventTime.secondsSince1970 < $0 } == true ? .outdated : .new
  }
}
