/// The supported SQL dialects. A statement is the same for both unless it says otherwise.
public enum SQLDialect: Sendable {
  /// SQLite 3.35 or later. It has one writer at a time, so a writing transaction is the only lock.
  case sqlite
  /// PostgreSQL 14 or later, in transactions at READ COMMITTED.
  case postgreSQL
}
