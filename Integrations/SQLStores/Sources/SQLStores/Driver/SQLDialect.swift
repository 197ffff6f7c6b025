/// The databases whose SQL is known here. Statements are the same for both where nothing else is said.
public enum SQLDialect: Sendable {
  /// SQLite 3.35 or later. It has one writer at a time, so nothing is locked but by a transaction that writes.
  case sqlite
  /// PostgreSQL 14 or later, in transactions that read what is committed.
  case postgreSQL
}
